#include "core/audit.hpp"
#include "app/blocking.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/wiring.hpp"
#include "store/audit.hpp"
#include "store/session.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace sagabox::app {

namespace {

constexpr int events_of_a_batch = 200;
constexpr int rows_of_a_look = 10'000;
constexpr std::chrono::seconds batch_deadline{60};

using core::audit::Finding;
using core::audit::Weight;

/// Since when the configuration has been what it is, as well as its file tells. A relay may read it
/// later; who judges by it must doubt what is older.
DbTime last_change(const std::string& file)
{
    struct stat about = {};
    if (::stat(file.c_str(), &about) != 0) {
        return {};
    }
    return {std::chrono::seconds(about.st_mtim.tv_sec) +
            std::chrono::microseconds(about.st_mtim.tv_nsec / 1000)};
}

/// Writes each finding as it comes.
class Output {
public:
    explicit Output(const AuditOptions& options) : options_(options) {}

    [[nodiscard]] bool full() const
    {
        return options_.limit > 0 && findings_ + notes_ >= options_.limit;
    }
    [[nodiscard]] std::int64_t findings() const { return findings_; }

    void print(const Finding& found)
    {
        if (full()) {
            return;
        }
        clear_progress();
        const bool note = found.weight == Weight::note;
        ++(note ? notes_ : findings_);
        if (options_.json) {
            json::Object line;
            line.set("rule", std::string(found.rule));
            line.set("weight", note ? "note" : "finding");
            line.set("eventId", json::Value::integer(found.event.value));
            line.set("aggregateId", found.aggregate_id);
            line.set("what", found.what);
            line.set("cure", std::string(found.cure));
            std::cout << json::write(json::Value(std::move(line))) << '\n';
            return;
        }
        std::cout << (note ? "note: " : "") << found.rule << ": event " << found.event.value
                  << " of " << one_line(found.aggregate_id) << ": " << one_line(found.what)
                  << (note ? "; by today's configuration, which is younger than the event" : "")
                  << "; cure: " << found.cure << '\n';
    }

    void progress(std::int64_t events)
    {
        if (terminal_) {
            std::cerr << "\raudited " << events << " events" << std::flush;
            shown_ = true;
        }
    }

    void clear_progress()
    {
        if (std::exchange(shown_, false)) {
            std::cerr << "\r\033[K" << std::flush;
        }
    }

    void sum_up(std::int64_t events)
    {
        clear_progress();
        if (!options_.json) {
            std::cout << events << " events audited: " << findings_ << " findings, " << notes_
                      << " notes\n";
        }
    }

private:
    /// What others have written must not draw lines of its own, nor move the cursor.
    static std::string one_line(const std::string& text)
    {
        std::string shown = text;
        std::replace_if(
            shown.begin(), shown.end(),
            [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
        return shown;
    }

    const AuditOptions& options_;
    const bool terminal_ = ::isatty(STDERR_FILENO) == 1;
    bool shown_ = false;
    std::int64_t findings_ = 0;
    std::int64_t notes_ = 0;
};

using Aggregates = std::map<std::string_view, std::vector<const core::audit::EventFacts*>>;

std::vector<Finding> judge(const core::Plan& plan, const core::audit::Terms& terms,
                           const store::AuditBatch& batch)
{
    std::vector<Finding> found;
    Aggregates earlier;
    for (const core::audit::EventFacts& facts : batch.events) {
        std::vector<const core::audit::EventFacts*>& before = earlier[facts.event.aggregate_id];
        if (std::binary_search(batch.judged.begin(), batch.judged.end(), facts.event.id)) {
            for (Finding& one : core::audit::audit(plan, terms, facts, before, batch.now)) {
                found.push_back(std::move(one));
            }
        }
        before.push_back(&facts);
    }
    return found;
}

struct Job {
    const core::Plan& plan;
    core::audit::Terms terms;
    pg::Options database;
    EventId since;
};

Task<Result<void>> audit_strays(pg::Connection& connection, store::StrayKind kind, const Job& job,
                                Output& output)
{
    std::int64_t above = 0;
    bool more = true;
    while (more && !output.full()) {
        const Deadline deadline = Deadline::after(batch_deadline);
        const Result<store::Strays> strays = co_await store::find_strays(
            connection, kind, above, rows_of_a_look, job.since, deadline);
        if (!strays) {
            co_return fail(strays.error());
        }
        for (const Finding& found : strays->found) {
            output.print(found);
        }
        above = strays->last;
        more = strays->looked_at == rows_of_a_look;
    }
    co_return Result<void>{};
}

/// How many events were looked at.
Task<Result<std::int64_t>> audit_all(Executor executor, const Job& job, Output& output)
{
    const Deadline opening = Deadline::after(batch_deadline);
    Result<std::unique_ptr<pg::Connection>> opened =
        co_await pg::Connection::open(executor, job.database, opening);
    if (!opened) {
        co_return fail(std::move(opened.error()));
    }
    pg::Connection& connection = **opened;
    std::int64_t events = 0;
    EventId above = job.since;
    bool more = true;
    while (more && !output.full()) {
        const Deadline deadline = Deadline::after(batch_deadline);
        const Result<store::AuditBatch> batch =
            co_await store::read_audit_batch(connection, above, events_of_a_batch, deadline);
        if (!batch) {
            co_return fail(batch.error());
        }
        for (const Finding& found : judge(job.plan, job.terms, *batch)) {
            output.print(found);
        }
        events += static_cast<std::int64_t>(batch->judged.size());
        output.progress(events);
        more = !batch->judged.empty();
        above = more ? batch->judged.back() : above;
    }
    static constexpr std::array kinds{store::StrayKind::results, store::StrayKind::letters};
    for (const store::StrayKind kind : kinds) {
        const Result<void> looked = co_await audit_strays(connection, kind, job, output);
        if (!looked) {
            co_return fail(looked.error());
        }
    }
    co_return events;
}

} // namespace

int audit(const std::string& file, const AuditOptions& options)
{
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    const Result<DatabaseAtHand> database = database_at_hand(*settings, default_data_folder());
    if (!database) {
        std::cerr << database.error().text() << '\n';
        return failed;
    }
    Job job{*settings->plan, {}, database_options(*settings, database->url), {options.since - 1}};
    job.terms.in_order = settings->relay.ordering == config::Relay::Ordering::aggregate;
    job.terms.plan_since = last_change(file);
    job.database.settings = store::planner_settings();
    // Relays may be at work: what belongs together must be read as of one moment.
    job.database.settings.emplace_back("default_transaction_isolation", "repeatable read");
    job.database.settings.emplace_back("default_transaction_read_only", "on");

    asio::io_context context;
    Output output(options);
    const Result<std::int64_t> events =
        run_blocking(context, audit_all(context.get_executor(), job, output));
    if (!events) {
        output.clear_progress();
        std::cerr << "the audit could not be finished: " << events.error().text() << '\n';
        return failed;
    }
    output.sum_up(*events);
    return output.findings() == 0 ? done : failed;
}

} // namespace sagabox::app
