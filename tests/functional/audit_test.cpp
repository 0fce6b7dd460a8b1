#include "tests/functional/mixed_run.hpp"
#include "tests/functional/program_run.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sagabox::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Audit : public ::testing::Test {
protected:
    /// One run serves both suites.
    static void SetUpTestSuite()
    {
        if (!healthy) {
            healthy = std::make_unique<MixedRun>();
        }
    }

    Audit()
    {
        Sql admin(Postgres::instance().cluster().url("postgres"));
        const std::string name = "audited_" + std::to_string(++copies);
        admin.exec("create database " + name + " template " + original());
        url = Postgres::instance().cluster().url(name);
        sql = std::make_unique<Sql>(url);
        folder = fs::path("/tmp") / ("sagabox-audit-" + std::to_string(::getpid()) + "-" + name);
        fs::create_directories(folder);
        configure("");
        // As old as a configuration is that the events ran under.
        fs::last_write_time(file(), fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
    ~Audit() override { fs::remove_all(folder); }

    /// Nobody may be connected to what is copied, so this session must have gone.
    [[nodiscard]] static std::string original()
    {
        static const std::string name = Sql(healthy->url).one("select current_database()");
        return name;
    }

    [[nodiscard]] fs::path file() const { return folder / "sagabox.conf"; }

    /// Rewrites the configuration, now: it is younger than the events.
    void configure(const std::string& more) const
    {
        std::ofstream(file()) << healthy->make_config(url) << more << '\n';
    }

    [[nodiscard]] ProgramRun audit(const std::string& options = "") const
    {
        return run_program("audit -c " + file().string() + " " + options);
    }

    [[nodiscard]] std::string event_of(const std::string& aggregate) const
    {
        return sql->one("select min(id) from outbox_events where aggregate_id = $1", {aggregate});
    }

    static std::unique_ptr<MixedRun> healthy;
    static int copies;
    std::string url;
    std::unique_ptr<Sql> sql;
    fs::path folder;
};

std::unique_ptr<MixedRun> Audit::healthy;
int Audit::copies = 0;

TEST_F(Audit, finds_nothing_after_a_mixed_run)
{
    const ProgramRun run = audit();
    EXPECT_EQ(run.output, sql->one("select count(*) from outbox_events") +
                              " events audited: 0 findings, 0 notes\n");
    EXPECT_EQ(run.code, 0);

    // What the run was mixed of, or it would prove nothing.
    EXPECT_EQ(sql->one("select string_agg(distinct outcome, ',' order by outcome) "
                       "from aggregate_results"),
              "failed,rejected,skipped,succeeded,unknown");
    EXPECT_EQ(sql->one("select string_agg(distinct status, ',' order by status) "
                       "from outbox_events"),
              "CANCELLED,PROCESSED");
    EXPECT_EQ(sql->one("select string_agg(distinct status, ',' order by status) "
                       "from dead_letter_events"),
              "FAILED,PROCESSED");
    EXPECT_EQ(sql->one("select count(*) from aggregate_results where interrupted > 0"), "1");
    EXPECT_EQ(sql->one("select max(run) from aggregate_results"), "2");
}

TEST_F(Audit, finds_nothing_in_an_empty_database)
{
    sql->exec("truncate outbox_events, aggregate_results, dead_letter_events");
    const ProgramRun run = audit("--json");
    EXPECT_EQ(run.output, "");
    EXPECT_EQ(run.code, 0);
}

/// How each rule is broken by hand. `e('x')` is the first event of aggregate x; `put` adds a copy
/// of one of its results behind all others.
struct Breach {
    std::string rule;
    std::string aggregate; ///< whose event is to be found; empty: that of no stored event
    std::string sql;
};

const std::vector<Breach>& breaches()
{
    static const std::vector<Breach> all{
        {"completed_with_a_step_missing", "ok", "select gone('ok', 'c')"},
        {"completed_with_a_step_missing", "ok", "select gone('ok', 'b')"},
        {"completed_with_a_step_missing", "ok", "select gone('ok', 'a')"},
        {"completed_with_a_step_missing", "ok",
         "delete from aggregate_results where event_id = e('ok')"},
        {"compensated_with_a_success_left", "rejected", "select gone('rejected', 'a.revert')"},
        {"compensated_with_a_success_left", "rejected", "select gone('rejected', 'b.revert')"},
        {"compensated_with_a_success_left", "stuck",
         "update dead_letter_events set status = 'PROCESSED' where original_event_id = e('stuck')"},
        {"cancelled_with_a_success_left", "cancelled's cancel",
         "select gone('cancelled', 'a.revert')"},
        {"cancelled_with_a_success_left", "waiting's cancel", "select gone('waiting', 'a.revert')"},
        {"given_up_though_complete", "rejected",
         "update aggregate_results set outcome = 'succeeded', success = true "
         "where event_id = e('rejected') and destination = 'c'"},
        {"called_after_the_end", "waiting", "select put('waiting', 'b', 'failed', '1 hour')"},
        {"success_recorded_twice", "ok", "select put('ok', 'b', 'succeeded')"},
        {"called_after_success", "ok", "select put('ok', 'b', 'failed')"},
        {"called_after_undoing", "rejected", "select put('rejected', 'c', 'failed')"},
        {"called_after_rejection", "flaky",
         "update aggregate_results set outcome = 'rejected' "
         "where event_id = e('flaky') and destination = 'b' and attempt = 1"},
        {"called_before_its_pause", "flaky",
         "update aggregate_results set retry_after_ms = 3600000 "
         "where event_id = e('flaky') and destination = 'b' and attempt = 1"},
        {"attempt_numbers_skip", "flaky",
         "update aggregate_results set attempt = 3 "
         "where event_id = e('flaky') and destination = 'b' and attempt = 2"},
        {"attempt_numbers_skip", "flaky",
         "delete from aggregate_results "
         "where event_id = e('flaky') and destination = 'a.revert' and attempt = 1"},
        {"more_attempts_than_allowed", "unknown",
         "update aggregate_results set id = id + 1000 "
         "where event_id = e('unknown') and destination like '%.revert';"
         "insert into aggregate_results (id, event_id, aggregate_id, event_type, destination, "
         "success, outcome, fanout_order, attempt, published_at) "
         "select 999, event_id, aggregate_id, event_type, 'c', false, 'unknown', 2, 4, "
         "max(published_at) from aggregate_results where event_id = e('unknown') "
         "group by 2, 3, 4"},
        {"step_out_of_turn", "ok",
         "update aggregate_results set id = id + 1000 "
         "where event_id = e('ok') and destination = 'a'"},
        {"other_route_than_decided", "sized",
         "update aggregate_results set route = 0 "
         "where event_id = e('sized') and destination = 'sized'"},
        {"other_route_than_decided", "odd",
         "update aggregate_results set outcome = 'succeeded', success = true "
         "where event_id = e('odd') and destination = 'sized'"},
        {"reverts_out_of_order", "rejected",
         "update aggregate_results set id = id + 1000 "
         "where event_id = e('rejected') and destination = 'b.revert'"},
        {"revert_of_nothing", "rejected", "select put('rejected', 'c.revert', 'succeeded')"},
        {"undone_twice", "rejected", "select put('rejected', 'a.revert', 'succeeded')"},
        {"outcome_denies_success", "ok",
         "update aggregate_results set success = false "
         "where event_id = e('ok') and destination = 'a'"},
        {"began_out_of_turn", "pair's second",
         "update aggregate_results set published_at = now() + case when destination = 'a' "
         "then -interval '1 hour' else interval '1 hour' end where event_id = e('pair');"
         "update outbox_events set status_changed_at = now() + interval '1 hour' "
         "where id = e('pair')"},
        {"result_without_event", "",
         "update aggregate_results set event_id = 999999 "
         "where event_id = e('ok') and destination = 'a'"},
        {"letter_without_event", "",
         "update dead_letter_events set original_event_id = 999999 "
         "where original_event_id = e('rejected')"},
        {"processing_without_a_lease", "ok", "select at_work('ok', 'me', null)"},
        {"lease_without_an_owner", "ok", "select at_work('ok', null, now() + interval '1 min')"},
        {"expired_lease_left", "ok", "select at_work('ok', 'me', now() - interval '1 hour')"},
        {"lease_on_idle_row", "ok",
         "update outbox_events set lease_owner = 'me' where id = e('ok')"},
        {"lease_on_idle_row", "rejected",
         "update dead_letter_events set lease_expires_at = now() "
         "where original_event_id = e('rejected')"},
        {"retry_time_out_of_place", "ok",
         "update outbox_events set next_retry_at = now() where id = e('ok')"},
        {"active_in_dead_letters", "rejected",
         "update outbox_events set status = 'PENDING' where id = e('rejected')"},
        {"dead_letter_missing", "rejected",
         "delete from dead_letter_events where original_event_id = e('rejected')"},
        {"failed_though_no_cancel", "ok",
         "update outbox_events set status = 'FAILED' where id = e('ok')"},
        {"letter_of_event_not_given_up", "stuck",
         "update outbox_events set moved_to_dlq = false where id = e('stuck')"},
        {"letter_of_event_not_given_up", "rejected",
         "update outbox_events set moved_to_dlq = false where id = e('rejected')"},
        {"two_live_letters", "stuck",
         "insert into dead_letter_events (original_event_id, aggregate_id, event_type, reason) "
         "values (e('stuck'), 'stuck', 'Made', 'POISONED')"},
        {"idempotency_key_taken_twice", "ok",
         "drop index outbox_idempotency;"
         "update outbox_events set status = 'PENDING', idempotency_key = 'k' "
         "where id in (e('ok'), e('sized'))"},
    };
    return all;
}

void PrintTo(const Breach& breach, std::ostream* out)
{
    *out << breach.sql;
}

class AuditOfABreach : public Audit, public ::testing::WithParamInterface<Breach> {
protected:
    AuditOfABreach()
    {
        sql->exec(R"(
            create function e(text) returns bigint language sql as
                $$ select min(id) from outbox_events where aggregate_id = $1 $$;
            create function gone(text, text) returns void language sql as
                $$ delete from aggregate_results where event_id = e($1) and destination = $2 $$;
            create function at_work(text, text, timestamptz) returns void language sql as
                $$ update outbox_events set status = 'PROCESSING', lease_owner = $2,
                   lease_expires_at = $3 where id = e($1) $$;
            create function put(text, text, text, interval default '0') returns void language sql as
                $$ insert into aggregate_results (event_id, aggregate_id, event_type, destination,
                       success, outcome, fanout_order, attempt, published_at)
                   select event_id, aggregate_id, event_type, $2, $3 = 'succeeded', $3, fanout_order,
                          attempt + 1, now() + $4
                   from aggregate_results
                   where event_id = e($1) and $2 in (destination, destination || '.revert')
                   order by id desc limit 1 $$)");
    }

    [[nodiscard]] std::string event_named(const std::string& name) const
    {
        const std::size_t owner = name.find("'s ");
        if (owner == std::string::npos) {
            return name.empty() ? "999999" : event_of(name);
        }
        return sql->one("select max(id) from outbox_events where aggregate_id = $1",
                        {name.substr(0, owner)});
    }
};

TEST_P(AuditOfABreach, finds_it_by_its_name)
{
    sql->exec(GetParam().sql);
    const ProgramRun run = audit();
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT("\n" + run.output, HasSubstr("\n" + GetParam().rule + ": event " +
                                             event_named(GetParam().aggregate) + " of "));
}

std::string name_of(const ::testing::TestParamInfo<Breach>& breach)
{
    return breach.param.rule + "_" + std::to_string(breach.index);
}

INSTANTIATE_TEST_SUITE_P(Rules, AuditOfABreach, ::testing::ValuesIn(breaches()), name_of);

TEST_F(Audit, calls_it_a_note_where_the_configuration_is_younger_than_the_event)
{
    configure("outbox.http.fanout.Made = [a, b, c, sized]\noutbox.maxRetries = 1");
    const ProgramRun run = audit();
    EXPECT_THAT(run.output,
                HasSubstr("note: completed_with_a_step_missing: event " + event_of("ok") + " of"));
    EXPECT_THAT(run.output, HasSubstr("note: more_attempts_than_allowed: event " +
                                      event_of("unknown") + " of"));
    EXPECT_THAT(run.output, HasSubstr(": 0 findings"));
    EXPECT_EQ(run.code, 0);
}

TEST_F(Audit, finds_a_missing_row_whatever_the_age_of_the_configuration)
{
    configure("");
    sql->exec("delete from aggregate_results where destination = 'c' and event_id = $1",
              {event_of("ok")});
    const ProgramRun run = audit();
    EXPECT_EQ(run.output.find("completed_with_a_step_missing: event " + event_of("ok")), 0U)
        << run.output;
    EXPECT_EQ(run.code, 1);
}

TEST_F(Audit, prints_one_object_a_line_on_request)
{
    sql->exec("update outbox_events set lease_owner = 'me' where aggregate_id in ('ok', 'sized')");
    const ProgramRun run = audit("--json");
    EXPECT_THAT(run.output, HasSubstr(R"("rule":"lease_on_idle_row")"));
    EXPECT_THAT(run.output, HasSubstr(R"("weight":"finding")"));
    EXPECT_THAT(run.output, HasSubstr("\"eventId\":" + event_of("ok") + ","));
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 2);
    EXPECT_EQ(run.code, 1);
}

TEST_F(Audit, begins_and_stops_where_it_is_told_to)
{
    sql->exec("update outbox_events set lease_owner = 'me'");
    const std::string last = sql->one("select max(id) from outbox_events");
    const ProgramRun late = audit("--since " + last);
    EXPECT_THAT(late.output, HasSubstr("lease_on_idle_row: event " + last + " of"));
    EXPECT_THAT(late.output, HasSubstr("1 events audited: 1 findings"));
    const ProgramRun little = audit("--limit 3");
    EXPECT_THAT(little.output, HasSubstr(": 3 findings"));
    EXPECT_EQ(little.code, 1);
}

TEST_F(Audit, tells_misuse_from_findings)
{
    EXPECT_EQ(run_program("audit").code, 2);
    EXPECT_EQ(audit("--limit none").code, 2);
    EXPECT_EQ(run_program("audit -c /nowhere/sagabox.conf").code, 2);
}

TEST_F(Audit, changes_nothing)
{
    const std::string everything =
        "select md5((select string_agg(e::text, ';' order by id) from outbox_events e) || "
        "(select string_agg(r::text, ';' order by id) from aggregate_results r) || "
        "(select string_agg(d::text, ';' order by id) from dead_letter_events d))";
    const std::string before = sql->one(everything);
    (void)audit();
    EXPECT_EQ(sql->one(everything), before);
}

} // namespace
} // namespace sagabox::testing
