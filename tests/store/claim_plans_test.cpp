// What a claim reads must not grow with what has been done, nor with one aggregate's queue: plans
// made on empty tables, by relays that start first, and on full ones.
#include "tests/store/store_fixture.hpp"

#include "store/session.hpp"

#include <string>
#include <vector>

#include "sql.hpp"

namespace sagabox::store {
namespace {

class ClaimPlans : public StoreTest {
protected:
    ClaimPlans()
    {
        for (const auto& [name, value] : planner_settings()) {
            sql.exec("select set_config('" + name + "', '" + value + "', false)");
        }
    }

    void prepare()
    {
        for (const pg::Statement* s :
             {&sagabox::sql::claim_ready, &sagabox::sql::claim_ready_unordered,
              &sagabox::sql::claim_heads, &sagabox::sql::claim_due}) {
            sql.exec("prepare " + std::string(s->name) + " as " + std::string(s->text));
        }
    }

    /// Two aggregates with 10,000 events each that have ended and a thousand that wait, in one of
    /// them behind a retry.
    void fill()
    {
        sql.exec("alter table outbox_events disable trigger user");
        sql.exec(
            "insert into outbox_events (aggregate_id, event_type, payloads, status) "
            "select 'hot-' || g % 2, 'Made', '{}', 'PROCESSED' from generate_series(1, 20000) g");
        sql.exec(
            "insert into dead_letter_events (original_event_id, aggregate_id, event_type, reason, "
            "status) select id, aggregate_id, event_type, 'POISONED', 'PROCESSED' "
            "from outbox_events where id % 2 = 0");
        sql.exec("insert into outbox_events (aggregate_id, event_type, payloads) "
                 "select 'hot-' || g % 2, 'Made', '{}' from generate_series(1, 2000) g");
        sql.exec(
            "update outbox_events set next_retry_at = now() - interval '1 second', claim_no = 1 "
            "where id = (select min(id) from outbox_events where aggregate_id = 'hot-1')");
        sql.exec("alter table outbox_events enable trigger user");
        sql.exec("analyze");
    }

    /// Rows that the statement read in vain, all its plan's nodes together.
    std::size_t passed_over(const std::string& call)
    {
        sql.exec("begin");
        std::size_t rows = 0;
        std::string plan;
        for (const auto& row :
             sql.rows("explain (analyze, timing off, costs off) execute " + call)) {
            plan += row[0] + "\n";
            const std::string label = "Rows Removed by Filter: ";
            if (const std::size_t at = row[0].find(label); at != std::string::npos) {
                rows += std::stoul(row[0].substr(at + label.size()));
            }
        }
        sql.exec("rollback");
        if (rows > most) {
            ADD_FAILURE() << call << "\n" << plan;
        }
        return rows;
    }

    void expect_short_ways()
    {
        passed_over("claim_heads('me', '{hot-0,hot-1}', 1000)");
        passed_over("claim_due('me', 100, 1000, true, true)");
        passed_over("claim_ready('me', 100, 20000, 100, 1000, true)");
        passed_over("claim_ready_unordered('me', 100, 20000, 100, 1000, true)");
    }

    /// A claim of a hundred may pass over a few rows each.
    static constexpr std::size_t most = 200;
};

TEST_F(ClaimPlans, made_on_empty_tables_read_little_of_full_ones)
{
    prepare();
    fill();
    expect_short_ways();
}

TEST_F(ClaimPlans, made_on_full_tables_read_little_of_them)
{
    fill();
    prepare();
    expect_short_ways();
}

} // namespace
} // namespace sagabox::store
