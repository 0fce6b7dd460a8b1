#include "sql.hpp"
#include "store/purge.hpp"
#include "tests/store/store_fixture.hpp"

#include <future>

#include <asio/io_context.hpp>

namespace sagabox::store {
namespace {

constexpr std::chrono::hours week{24 * 7};

class PurgeTest : public StoreTest {
protected:
    /// An event of type `Made` that was created and ended so long ago, with a result.
    std::string ended(const std::string& aggregate, const std::string& ago = "8 days")
    {
        const std::string id = std::to_string(emit(aggregate));
        sql.exec(
            "update outbox_events set status = 'PROCESSED', created_at = now() - $2::interval, "
            "status_changed_at = now() - $2::interval where id = $1",
            {id, ago});
        sql.exec("insert into aggregate_results (event_id, aggregate_id, event_type, destination, "
                 "success, outcome) values ($1, $2, 'Made', 'a', true, 'succeeded')",
                 {id, aggregate});
        return id;
    }

    void add_letter(const std::string& event, const std::string& status,
                    const std::string& ago = "8 days")
    {
        sql.exec("insert into dead_letter_events (original_event_id, aggregate_id, event_type, "
                 "reason, status, status_changed_at) "
                 "values ($1, 'order', 'Made', 'POISONED', $2, now() - $3::interval)",
                 {event, status, ago});
    }

    Purged purge(EventId above = {}, int rows = 100)
    {
        const auto purged = testing::run(
            context, purge_events(*connection, week, above, rows, Deadline::after(patience)));
        if (!purged) {
            throw std::runtime_error(purged.error().text());
        }
        return *purged;
    }

    /// Whether an event, its results and its letters are all there, or all gone.
    [[nodiscard]] bool there(const std::string& event)
    {
        const bool stays =
            sql.one("select count(*) from outbox_events where id = $1", {event}) == "1";
        EXPECT_EQ(sql.one("select count(*) from aggregate_results where event_id = $1", {event}),
                  stays ? "1" : "0");
        if (!stays) {
            EXPECT_EQ(
                sql.one("select count(*) from dead_letter_events where original_event_id = $1",
                        {event}),
                "0");
        }
        return stays;
    }
};

TEST_F(PurgeTest, counts_the_age_from_the_end)
{
    const std::string old = ended("order-1");
    const std::string lately = ended("order-2", "30 days");
    sql.exec("update outbox_events set status_changed_at = now() - interval '6 days 23 hours' "
             "where id = $1",
             {lately});
    const Purged purged = purge();
    EXPECT_EQ(purged.events, 1);
    EXPECT_EQ(purged.results, 1);
    EXPECT_FALSE(there(old));
    EXPECT_TRUE(there(lately));
}

TEST_F(PurgeTest, keeps_what_has_not_ended_however_old_it_is)
{
    for (const std::string status : {"PENDING", "PROCESSING"}) {
        const std::string event = ended("order-" + status);
        sql.exec("update outbox_events set status = $2 where id = $1", {event, status});
        EXPECT_EQ(purge().events, 0);
        EXPECT_TRUE(there(event)) << status;
    }
}

TEST_F(PurgeTest, takes_every_way_to_end)
{
    for (const std::string status : {"PROCESSED", "CANCELLED", "FAILED"}) {
        const std::string event = ended("order-" + status);
        sql.exec("update outbox_events set status = $2 where id = $1", {event, status});
        EXPECT_EQ(purge().events, 1) << status;
        EXPECT_FALSE(there(event));
    }
}

TEST_F(PurgeTest, keeps_an_event_whose_letter_is_at_work_or_waits_for_a_person)
{
    for (const std::string status : {"PENDING", "PROCESSING", "FAILED"}) {
        const std::string event = ended("order-" + status);
        add_letter(event, "PROCESSED");
        add_letter(event, status);
        EXPECT_EQ(purge().events, 0);
        EXPECT_TRUE(there(event)) << status;
    }
}

TEST_F(PurgeTest, takes_an_event_with_its_letters_once_they_are_closed_for_long_enough)
{
    for (const std::string status : {"PROCESSED", "RESOLVED"}) {
        const std::string event = ended("order-" + status);
        add_letter(event, "RESOLVED");
        add_letter(event, status, "1 day");
        EXPECT_EQ(purge().events, 0) << status;
        EXPECT_TRUE(there(event));
        sql.exec("update dead_letter_events set status_changed_at = now() - interval '8 days' "
                 "where original_event_id = $1",
                 {event});
        const Purged purged = purge();
        EXPECT_EQ(purged.events, 1);
        EXPECT_EQ(purged.letters, 2);
        EXPECT_FALSE(there(event));
    }
}

TEST_F(PurgeTest, keeps_the_past_of_an_aggregate_that_has_work_to_do)
{
    const std::string event = ended("order-1");
    const std::string cancel = std::to_string(emit("order-1", "!Made"));
    EXPECT_EQ(purge().events, 0);
    EXPECT_TRUE(there(event));
    sql.exec("update outbox_events set status = 'PROCESSED' where id = $1", {cancel});
    EXPECT_EQ(purge().events, 1);
    EXPECT_FALSE(there(event));
}

TEST_F(PurgeTest, leaves_a_neighbours_rows_alone)
{
    const std::string old = ended("order-1");
    const std::string young = ended("order-1", "1 hour");
    const std::string neighbour = ended("order-2", "1 hour");
    add_letter(young, "PROCESSED");
    // A result belongs to the event that it is about, whoever caused it.
    sql.exec("update aggregate_results set cause_event_id = $1 where event_id = $2", {old, young});
    EXPECT_EQ(purge().events, 1);
    EXPECT_FALSE(there(old));
    EXPECT_TRUE(there(young));
    EXPECT_TRUE(there(neighbour));
    EXPECT_EQ(sql.one("select count(*) from dead_letter_events"), "1");
}

TEST_F(PurgeTest, keeps_an_event_as_long_as_its_mail_is_stored)
{
    const std::string event = ended("order-1");
    const std::string mail =
        sql.one("insert into email_messages (message_id, correlation_id, document_type, "
                "to_addresses, subject, text_body) "
                "values ('m', 'c', 'invoice', '{a@example.org}', 'hello', 'hello') returning id");
    sql.exec("update outbox_events set email_id = $2 where id = $1", {event, mail});
    EXPECT_EQ(purge().events, 0);
    EXPECT_TRUE(there(event));
    sql.exec("delete from email_messages");
    EXPECT_EQ(purge().events, 1);
    EXPECT_FALSE(there(event));
}

TEST_F(PurgeTest, passes_over_a_row_that_somebody_has_locked)
{
    const std::string locked = ended("order-1");
    const std::string free = ended("order-2");
    {
        testing::Sql person(url);
        person.exec("begin");
        person.exec("select from outbox_events where id = $1 for update", {locked});
        EXPECT_EQ(purge().events, 1);
        EXPECT_TRUE(there(locked));
        EXPECT_FALSE(there(free));
    }
    // Its session may still be on its way out: the lock goes with it.
    sql.await("select count(*) from pg_locks l join pg_stat_activity a using (pid) "
              "where l.relation = 'outbox_events'::regclass and l.mode = 'RowShareLock'",
              "0");
    EXPECT_EQ(purge().events, 1);
    EXPECT_FALSE(there(locked));
}

TEST_F(PurgeTest, lets_two_work_side_by_side_without_waiting_for_each_other)
{
    for (int i = 0; i < 3; ++i) {
        ended("order-" + std::to_string(i));
    }
    testing::Sql other_relay(url);
    other_relay.exec("begin");
    const auto theirs = other_relay.rows(std::string(sql::purge_events.text),
                                         {"0", "2", std::to_string(week / 1ms)});
    EXPECT_EQ(theirs.at(0).at(3), "2");
    const Purged ours = purge();
    EXPECT_EQ(ours.events, 1);
    EXPECT_EQ(ours.results, 1);
    other_relay.exec("commit");
    EXPECT_EQ(sql.one("select count(*) from outbox_events"), "0");
    EXPECT_EQ(sql.one("select count(*) from aggregate_results"), "0");
}

TEST_F(PurgeTest, walks_in_batches_up_to_the_first_young_event)
{
    std::string last;
    for (int i = 0; i < 4; ++i) {
        last = ended("order-" + std::to_string(i));
    }
    const std::string young = ended("order-5", "1 hour");
    const std::string behind = ended("order-6");

    const Purged first = purge({}, 2);
    EXPECT_EQ(first.events, 2);
    EXPECT_FALSE(first.over);
    const Purged second = purge(first.last, 2);
    EXPECT_EQ(second.events, 2);
    EXPECT_EQ(second.last.value, std::stoll(last));
    EXPECT_FALSE(second.over);
    const Purged third = purge(second.last, 1);
    EXPECT_EQ(third.events, 0);
    EXPECT_EQ(third.last.value, std::stoll(young));
    EXPECT_TRUE(third.over);
    EXPECT_TRUE(there(behind));
}

TEST_F(PurgeTest, is_over_where_no_event_is_left)
{
    EXPECT_TRUE(purge().over);
    ended("order-1");
    const Purged purged = purge();
    EXPECT_EQ(purged.events, 1);
    EXPECT_TRUE(purged.over);
}

TEST_F(PurgeTest, is_not_held_up_by_an_event_from_the_future)
{
    const std::string future = ended("order-1", "-1 year");
    const std::string old = ended("order-2");
    const Purged first = purge({}, 1);
    EXPECT_EQ(first.last.value, std::stoll(future));
    EXPECT_FALSE(first.over);
    EXPECT_EQ(purge(first.last, 1).events, 1);
    EXPECT_FALSE(there(old));
    EXPECT_TRUE(there(future));
}

TEST_F(PurgeTest, that_is_killed_midway_leaves_nothing_half_deleted)
{
    const std::string first = ended("order-1");
    const std::string second = ended("order-2");
    add_letter(second, "PROCESSED");
    testing::Sql person(url);
    person.exec("begin");
    person.exec("select from dead_letter_events for update");

    auto purging = std::async(std::launch::async, [this] {
        return testing::run(context,
                            purge_events(*connection, week, {}, 100, Deadline::after(patience)));
    });
    const std::string waiting = " from pg_stat_activity where datname = current_database() "
                                "and wait_event_type = 'Lock'";
    sql.await("select count(*)" + waiting, "1");
    EXPECT_EQ(sql.one("select pg_terminate_backend(pid)" + waiting), "t");
    EXPECT_FALSE(purging.get().has_value());
    person.exec("rollback");
    EXPECT_TRUE(there(first));
    EXPECT_TRUE(there(second));
    EXPECT_EQ(sql.one("select count(*) from dead_letter_events"), "1");

    connection = open();
    EXPECT_EQ(purge().events, 2);
    EXPECT_EQ(sql.one("select count(*) from dead_letter_events"), "0");
}

TEST_F(PurgeTest, looks_up_by_an_index_what_was_planned_on_empty_tables)
{
    for (const auto& [name, value] : planner_settings()) {
        sql.exec("select set_config('" + name + "', '" + value + "', false)");
    }
    sql.exec("prepare purging as " + std::string(sql::purge_events.text));
    sql.exec("explain execute purging (0, 10, 1000)");
    sql.exec("insert into outbox_events (aggregate_id, event_type, payloads, status) "
             "select 'order-' || i, 'Made', '{}', 'PROCESSED' from generate_series(1, 5000) i;"
             "insert into aggregate_results (event_id, aggregate_id, event_type, destination, "
             "success, outcome) select i, 'o', 'Made', 'a', true, 'succeeded' "
             "from generate_series(1, 5000) i");
    std::string plan;
    for (const auto& row : sql.rows("explain execute purging (0, 10, 1000)")) {
        plan += row[0] + "\n";
    }
    EXPECT_EQ(plan.find("Seq Scan"), std::string::npos) << plan;
}

} // namespace
} // namespace sagabox::store
