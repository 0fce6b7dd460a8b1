#include "engine/housekeeper.hpp"

#include "base/log.hpp"
#include "store/mail.hpp"
#include "store/purge.hpp"

#include <utility>

#include <asio/post.hpp>

namespace sagabox::engine {

namespace {

constexpr std::chrono::seconds statement_deadline{30};
constexpr std::chrono::milliseconds pause_between_batches{20};
constexpr std::chrono::seconds pause_after_fault{1};

pg::Options session_options(const pg::Options& given)
{
    pg::Options options = given;
    for (auto& setting : store::planner_settings()) {
        options.settings.push_back(std::move(setting));
    }
    return options;
}

} // namespace

Housekeeper::Housekeeper(const Options& options, Watcher& watcher)
    : options_(options),
      session_(context_.get_executor(), session_options(options.database), "housekeeper"),
      surveyor_(context_.get_executor(), options_, watcher),
      loops_(context_.get_executor(), "housekeeper")
{
}

Housekeeper::~Housekeeper()
{
    stop();
}

void Housekeeper::start()
{
    loops_.start(main_loop());
    thread_ = std::thread([this] { context_.run(); });
}

void Housekeeper::stop()
{
    if (thread_.joinable()) {
        asio::post(context_, [this] { stopping_.set(); });
        thread_.join();
    }
}

Task<void> Housekeeper::main_loop()
{
    Scope work(context_.get_executor(), "housekeeping");
    work.start(keep_house());
    work.start(surveyor_.run());
    const Deadline forever{Instant::max()};
    co_await stopping_.wait(forever);
    // A batch that is cut is rolled back, and done at another time.
    work.cancel();
    co_await work.join(forever);
    session_.close();
    surveyor_.close();
}

Task<void> Housekeeper::publish_rules()
{
    while (options_.mail) {
        store::MailRules rules = options_.mail->rules;
        pg::Connection* const connection = co_await session_.get();
        const Deadline deadline = Deadline::after(statement_deadline);
        const Result<void> published =
            co_await store::publish_mail_rules(*connection, std::move(rules), deadline);
        if (published) {
            co_return;
        }
        log::warning("mail", "the rules for messages could not be written down yet: {}",
                     published.error().text());
        const Instant again = std::chrono::steady_clock::now() + pause_after_fault;
        co_await sleep_until(again);
    }
}

Task<void> Housekeeper::keep_house()
{
    co_await publish_rules();
    for (;;) {
        co_await purge();
        const Instant again = std::chrono::steady_clock::now() + options_.cleanup_interval;
        co_await sleep_until(again);
    }
}

Task<void> Housekeeper::purge()
{
    store::Kept kept;
    kept.events = options_.retention;
    if (options_.mail) {
        kept.messages = options_.mail->retention;
        kept.failed_messages = options_.mail->failed_retention;
    }
    store::PurgeSweep sweep(kept);
    while (!sweep.over()) {
        pg::Connection* const connection = co_await session_.get();
        const Deadline deadline = Deadline::after(statement_deadline);
        const Result<void> batch = co_await sweep.next(*connection, deadline);
        if (!batch) {
            log::warning("purge", "{} could not be deleted, later again: {}",
                         sweep.at_events() ? "events" : "messages", batch.error().text());
            break;
        }
        const Instant next = std::chrono::steady_clock::now() + pause_between_batches;
        co_await sleep_until(next);
    }
    const store::PurgeSweep::Deleted& deleted = sweep.deleted();
    if (sweep.at_events() && deleted.messages > 0) {
        log::info("purge", "deleted {} messages that were kept long enough", deleted.messages);
    }
    if (sweep.over() && deleted.events > 0) {
        log::info("purge",
                  "deleted {} events, {} results and {} letters that were kept long enough",
                  deleted.events, deleted.results, deleted.letters);
    }
}

} // namespace sagabox::engine
