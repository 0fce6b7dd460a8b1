#include "api/database.hpp"

#include "store/overview.hpp"

#include <algorithm>
#include <exception>
#include <future>

#include <asio/post.hpp>

namespace sagabox::api {

namespace {

// All waits together must leave the answer, "unavailable", well within three seconds.
constexpr std::chrono::milliseconds connect_timeout{700};
constexpr std::chrono::milliseconds ping_timeout{500};
constexpr std::chrono::milliseconds ping_after{200};
constexpr std::chrono::milliseconds pause_after_failure{300};
constexpr std::chrono::milliseconds slack{300};

Fault stopping()
{
    return {Fault::Kind::stopped, "the API is stopping"};
}

} // namespace

pg::Options reading_session(pg::Options options)
{
    for (auto& [name, value] : store::planner_settings()) {
        options.settings.emplace_back(name, name == "plan_cache_mode" ? "force_custom_plan"
                                                                      : std::move(value));
    }
    return options;
}

struct Database::Job {
    Work work;
    Deadline deadline;
    std::promise<Result<void>> answer;
};

Database::Database(pg::Options options, std::size_t connections)
    : options_(reading_session(std::move(options))), most_(connections),
      keeps_running_(context_.get_executor()), jobs_(context_.get_executor(), "api"),
      thread_([this] { context_.run(); })
{
    options_.application_name = "sagabox api";
    options_.statement_timeout = patience;
}

Database::~Database()
{
    asio::post(context_, [this] {
        jobs_.cancel();
        keeps_running_.reset();
    });
    thread_.join();
}

Result<void> Database::run(Work work)
{
    const auto job = std::make_shared<Job>();
    job->work = std::move(work);
    job->deadline = Deadline::after(patience);
    std::future<Result<void>> answer = job->answer.get_future();
    asio::post(context_, [this, job] { jobs_.start(serve(job)); });
    if (answer.wait_until(job->deadline.at + slack) != std::future_status::ready) {
        return fail(Fault::Kind::timeout, "the database did not answer in time");
    }
    try {
        return answer.get();
    } catch (const std::future_error&) {
        return fail(stopping());
    }
}

Task<void> Database::serve(std::shared_ptr<Job> job)
{
    // Whatever ends this task, the place of its connection is free again.
    struct Lent {
        Database& database;
        ~Lent()
        {
            --database.lent_;
            database.free_.set();
        }
    };
    while (lent_ >= most_ && !job->deadline.passed()) {
        free_.clear();
        static_cast<void>(co_await free_.wait(job->deadline));
    }
    ++lent_;
    const Lent lent{*this};
    Result<std::unique_ptr<pg::Connection>> connection = co_await borrow(job->deadline);
    if (!connection) {
        job->answer.set_value(fail(connection.error()));
        co_return;
    }
    Result<void> done = co_await job->work(**connection, job->deadline);
    give_back(std::move(*connection));
    job->answer.set_value(std::move(done));
}

Task<Result<std::unique_ptr<pg::Connection>>> Database::borrow(Deadline deadline)
{
    while (!idle_.empty()) {
        Idle idle = std::move(idle_.back());
        idle_.pop_back();
        if (std::chrono::steady_clock::now() - idle.since < ping_after) {
            co_return std::move(idle.connection);
        }
        // The server may have restarted, or a firewall forgotten us, while nobody asked.
        const Deadline soon{std::min(deadline.at, std::chrono::steady_clock::now() + ping_timeout)};
        static_cast<void>(co_await store::find_schema_version(*idle.connection, soon));
        if (idle.connection->open()) {
            co_return std::move(idle.connection);
        }
        idle_.clear();
    }
    co_return co_await connect(deadline);
}

Task<Result<std::unique_ptr<pg::Connection>>> Database::connect(Deadline deadline)
{
    const Instant now = std::chrono::steady_clock::now();
    if (away_ && (trying_ || now < try_again_at_)) {
        co_return fail(*away_);
    }
    struct Trying {
        bool& flag;
        ~Trying() { flag = false; }
    };
    trying_ = true;
    const Trying trying{trying_};
    const Deadline soon{std::min(deadline.at, now + connect_timeout)};
    Result<std::unique_ptr<pg::Connection>> opened =
        co_await pg::Connection::open(context_.get_executor(), options_, soon);
    if (opened) {
        away_.reset();
    } else {
        away_ = opened.error();
        try_again_at_ = std::chrono::steady_clock::now() + pause_after_failure;
    }
    co_return opened;
}

void Database::give_back(std::unique_ptr<pg::Connection> connection)
{
    if (connection->open()) {
        idle_.push_back({std::move(connection), std::chrono::steady_clock::now()});
    }
}

} // namespace sagabox::api
