#include "store/purge.hpp"
#include "app/records.hpp"
#include "config/values.hpp"

#include <chrono>

#include <unistd.h>

namespace sagabox::app {

namespace {

constexpr std::chrono::seconds batch_deadline{60};

using Deleted = store::PurgeSweep::Deleted;

void show_progress(const Deleted& so_far)
{
    if (::isatty(STDERR_FILENO) != 0) {
        std::cerr << "\rdeleted " << so_far.events << " events, " << so_far.messages
                  << " messages so far" << std::flush;
    }
}

Task<Result<Deleted>> purge_all(pg::Connection& connection, store::Kept kept)
{
    store::PurgeSweep sweep(kept);
    while (!sweep.over()) {
        const Deadline deadline = Deadline::after(batch_deadline);
        const Result<void> batch = co_await sweep.next(connection, deadline);
        if (!batch) {
            co_return fail(batch.error());
        }
        show_progress(sweep.deleted());
    }
    co_return sweep.deleted();
}

int print_deleted(const Deleted& deleted, bool json)
{
    if (::isatty(STDERR_FILENO) != 0) {
        std::cerr << "\r\033[K";
    }
    if (json) {
        json::Object form;
        form.set("events", json::Value::integer(deleted.events));
        form.set("results", json::Value::integer(deleted.results));
        form.set("deadLetters", json::Value::integer(deleted.letters));
        form.set("emails", json::Value::integer(deleted.messages));
        return print_json(form);
    }
    std::cout << "deleted " << deleted.events << " events, " << deleted.results << " results, "
              << deleted.letters << " dead letters, " << deleted.messages << " messages\n";
    return done;
}

} // namespace

int purge(const RecordOptions& options)
{
    std::optional<std::chrono::milliseconds> older_than;
    if (!options.older_than.empty()) {
        const Result<std::chrono::milliseconds> read = config::parse_duration(options.older_than);
        if (!read) {
            std::cerr << "--older-than: " << read.error().text() << '\n';
            return misuse;
        }
        older_than = *read;
    }
    const std::optional<config::Settings> settings = load_or_explain(options.file);
    if (!settings) {
        return misuse;
    }
    store::Kept kept;
    kept.events = older_than.value_or(settings->relay.retention);
    if (settings->mail) {
        kept.messages = older_than.value_or(settings->mail->retention);
        kept.failed_messages = settings->mail->failed_retention;
    }
    const Result<Deleted> deleted = ask_database<Deleted>(
        *settings, [kept](pg::Connection& connection, Deadline) { // each batch has its own
            return purge_all(connection, kept);
        });
    if (!deleted) {
        std::cerr << deleted.error().text()
                  << "; what was deleted so far stays deleted, and the same call goes on\n";
        return failed;
    }
    return print_deleted(*deleted, options.json);
}

} // namespace sagabox::app
