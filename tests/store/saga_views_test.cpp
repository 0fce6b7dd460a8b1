#include "sql.hpp"
#include "store/saga_views.hpp"
#include "store/traffic.hpp"
#include "tests/store/store_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SagaViewsTest : public StoreTest {
protected:
    struct Row {
        std::string outcome = "succeeded";
        int duration_ms = 5;
        int run = 1;
        std::string ago = "1 second";
    };

    void add_result(std::int64_t event, const std::string& destination, Row row)
    {
        sql.exec("insert into aggregate_results (event_id, aggregate_id, event_type, destination, "
                 "success, outcome, duration_ms, run, published_at, response_status) values ($1, "
                 "'a', 'Made', $2, $3 = 'succeeded', $3, $4, $5, now() - $6::interval, 200)",
                 {std::to_string(event), destination, row.outcome, std::to_string(row.duration_ms),
                  std::to_string(row.run), row.ago});
    }

    Sagas load(std::vector<std::int64_t> events)
    {
        auto sagas = testing::run(
            context, load_sagas(*connection, std::move(events), Deadline::after(patience)));
        if (!sagas) {
            throw std::runtime_error(sagas.error().text());
        }
        return std::move(*sagas);
    }

    Traffic traffic()
    {
        auto read = testing::run(context, read_traffic(*connection, Deadline::after(patience)));
        if (!read) {
            throw std::runtime_error(read.error().text());
        }
        return std::move(*read);
    }

    /// The plan of a statement that was planned on empty tables, once they hold a hundred thousand
    /// rows.
    std::string plan_of(const pg::Statement& statement, const std::string& types,
                        const std::string& arguments)
    {
        for (const auto& [name, value] : planner_settings()) {
            sql.exec("select set_config('" + name + "', '" + value + "', false)");
        }
        sql.exec("prepare asked (" + types + ") as " + std::string(statement.text));
        sql.exec("explain execute asked (" + arguments + ")");
        sql.exec("insert into outbox_events (aggregate_id, event_type, payloads, status) select "
                 "n::text, 'Made', '{}', 'PROCESSED' from generate_series(1, 100000) n");
        sql.exec("insert into aggregate_results (event_id, aggregate_id, event_type, destination, "
                 "success, outcome, duration_ms) select n, n::text, 'Made', 'a', true, "
                 "'succeeded', 3 from generate_series(1, 100000) n");
        sql.exec("insert into dead_letter_events (original_event_id, aggregate_id, event_type, "
                 "reason, status) select n, n::text, 'Made', 'POISONED', 'PROCESSED' from "
                 "generate_series(1, 100000) n");
        std::string plan;
        for (const auto& row : sql.rows("explain execute asked (" + arguments + ")")) {
            plan += row.front() + "\n";
        }
        return plan;
    }
};

TEST_F(SagaViewsTest, tell_the_latest_call_of_each_step_and_how_often_it_was_made)
{
    const std::int64_t event = emit("order-1");
    add_result(event, "inventory", {});
    add_result(event, "billing", {.outcome = "failed"});
    add_result(event, "billing", {.outcome = "unknown"});
    add_result(event, "billing", {.outcome = "rejected", .duration_ms = 7});
    add_result(event, "inventory.revert", {});
    const Sagas sagas = load({event});
    ASSERT_EQ(sagas.sagas.size(), 1U);
    EXPECT_TRUE(sagas.now);
    const std::vector<SagaStep>& steps = sagas.sagas[0].steps;
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0].destination, "billing");
    EXPECT_EQ(steps[0].outcome, core::Outcome::rejected);
    EXPECT_EQ(steps[0].attempts, 3);
    EXPECT_EQ(steps[0].duration, std::chrono::milliseconds(7));
    EXPECT_EQ(steps[1].destination, "inventory");
    EXPECT_EQ(steps[1].direction, core::Direction::forward);
    EXPECT_EQ(steps[2].destination, "inventory");
    EXPECT_EQ(steps[2].direction, core::Direction::revert);
    EXPECT_FALSE(sagas.sagas[0].letter);
}

TEST_F(SagaViewsTest, tell_of_the_latest_run_alone)
{
    const std::int64_t event = emit("order-1");
    add_result(event, "inventory", {});
    add_result(event, "inventory.revert", {});
    sql.exec("update outbox_events set run = 2 where id = $1", {std::to_string(event)});
    EXPECT_TRUE(load({event}).sagas[0].steps.empty());
    add_result(event, "inventory", {.run = 2});
    EXPECT_EQ(load({event}).sagas[0].steps.size(), 1U);
}

TEST_F(SagaViewsTest, come_newest_first_with_the_latest_letter_and_without_what_is_not_there)
{
    const std::int64_t first = emit("order-1");
    const std::int64_t second = emit("order-2");
    for (const char* status : {"RESOLVED", "FAILED"}) {
        sql.exec("insert into dead_letter_events (original_event_id, aggregate_id, event_type, "
                 "reason, status, revert_error) values ($1, 'order-1', 'Made', 'POISONED', $2, "
                 "'why')",
                 {std::to_string(first), status});
    }
    const Sagas sagas = load({first, second, second + 1000});
    ASSERT_EQ(sagas.sagas.size(), 2U);
    EXPECT_EQ(sagas.sagas[0].event.id.value, second);
    ASSERT_TRUE(sagas.sagas[1].letter);
    EXPECT_EQ(sagas.sagas[1].letter->status, core::LetterStatus::FAILED);
    EXPECT_EQ(sagas.sagas[1].letter->revert_error, "why");
    EXPECT_TRUE(load({}).sagas.empty());
}

TEST_F(SagaViewsTest, look_events_up_by_their_ids)
{
    for (const pg::Statement* statement : {&sql::load_saga_events, &sql::load_saga_letters}) {
        const std::string plan = plan_of(*statement, "bigint[]", "'{7,9}'");
        EXPECT_THAT(plan, HasSubstr("Index")) << plan;
        EXPECT_THAT(plan, Not(HasSubstr("Seq Scan"))) << plan;
        sql.exec("deallocate asked");
        sql.exec("truncate outbox_events, aggregate_results, dead_letter_events cascade");
    }
    const std::string plan = plan_of(sql::load_saga_steps, "bigint[], bigint", "'{7,9}', 300");
    EXPECT_THAT(plan, HasSubstr("results_event")) << plan;
    EXPECT_THAT(plan, Not(HasSubstr("Seq Scan"))) << plan;
}

TEST_F(SagaViewsTest, count_calls_by_destination_and_leave_out_what_was_passed_over)
{
    const std::int64_t event = emit("order-1");
    for (const int duration : {10, 20, 30, 1000}) {
        add_result(event, "billing", {.duration_ms = duration});
    }
    add_result(event, "billing", {.outcome = "rejected", .duration_ms = 40});
    add_result(event, "billing", {.outcome = "skipped"});
    add_result(event, "billing", {.ago = "20 minutes"});
    add_result(event, "shipping.revert", {.outcome = "unknown"});
    const Traffic seen = traffic();
    ASSERT_EQ(seen.destinations.size(), 2U);
    const CallFigures& billing = seen.destinations.at("billing").whole;
    EXPECT_EQ(billing.calls, 5);
    EXPECT_EQ(billing.succeeded, 4);
    EXPECT_EQ(billing.rejected, 1);
    EXPECT_EQ(billing.p50, std::chrono::milliseconds(30));
    EXPECT_EQ(billing.p95, std::chrono::milliseconds(1000));
    EXPECT_EQ(seen.destinations.at("shipping.revert").whole.unknown, 1);
    std::int64_t in_slots = 0;
    for (const auto& [begin, figures] : seen.destinations.at("billing").slots) {
        EXPECT_EQ(begin % traffic_slot.count(), 0);
        in_slots += figures.calls;
    }
    EXPECT_EQ(in_slots, 5);
    EXPECT_EQ(seen.now - seen.since, traffic_span);
}

TEST_F(SagaViewsTest, say_nothing_of_traffic_where_there_is_none)
{
    const Traffic seen = traffic();
    EXPECT_TRUE(seen.destinations.empty());
    EXPECT_EQ(seen.now - seen.since, traffic_span);
}

TEST_F(SagaViewsTest, look_at_the_latest_results_alone)
{
    const std::string plan = plan_of(sql::summarize_calls, "bigint, int, int", "1000, 900, 30");
    EXPECT_THAT(plan, HasSubstr("Index Scan Backward using aggregate_results_pkey")) << plan;
    EXPECT_THAT(plan, Not(HasSubstr("Seq Scan"))) << plan;
    EXPECT_EQ(traffic().destinations.at("a").whole.calls, 10'000) << "no more than it looks at";
}

} // namespace
} // namespace sagabox::store
