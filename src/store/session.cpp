#include "store/session.hpp"

#include "base/log.hpp"
#include "base/scope.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sagabox::store {

namespace {

constexpr std::chrono::seconds connect_timeout{10};
constexpr std::chrono::milliseconds first_pause{50};
constexpr std::chrono::milliseconds longest_pause{2'000};

} // namespace

Session::Session(Executor executor, pg::Options options, std::string purpose)
    : executor_(std::move(executor)), options_(std::move(options)), purpose_(std::move(purpose))
{
    options_.application_name = "sagabox " + purpose_;
}

Session::~Session() = default;

Task<pg::Connection*> Session::get()
{
    std::chrono::milliseconds pause = first_pause;
    while (!connection_ || !connection_->open()) {
        connection_.reset();
        const Deadline deadline = Deadline::after(connect_timeout);
        Result<std::unique_ptr<pg::Connection>> opened =
            co_await pg::Connection::open(executor_, options_, deadline);
        if (opened) {
            connection_ = std::move(*opened);
            // The first connection is what everybody expects; one that was lost and came back is
            // news.
            if (!up_ || ever_) {
                log::info("database", "{} is connected to {}", purpose_, connection_->where());
            } else {
                log::debug("database", "{} connected to {}", purpose_, connection_->where());
            }
            up_ = true;
            ever_ = true;
            break;
        }
        if (up_) {
            log::warning("database", "{} cannot reach the database and keeps trying: {}", purpose_,
                         opened.error().text());
        }
        up_ = false;
        const Instant again = std::chrono::steady_clock::now() + pause;
        co_await sleep_until(again);
        pause = std::min(pause * 2, longest_pause);
    }
    co_return connection_.get();
}

void Session::close()
{
    connection_.reset();
}

std::vector<std::pair<std::string, std::string>> planner_settings()
{
    return {{"plan_cache_mode", "force_generic_plan"},
            {"enable_seqscan", "off"},
            {"enable_mergejoin", "off"},
            {"enable_hashjoin", "off"},
            {"enable_bitmapscan", "off"},
            {"jit", "off"}};
}

} // namespace sagabox::store
