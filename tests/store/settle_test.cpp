#include "sql.hpp"
#include "tests/store/store_fixture.hpp"

namespace sagabox::store {
namespace {

struct Transition {
    const pg::Statement* statement;
    bool on_letter;
    const char* becomes;
};

/// Every statement that ends a claim, against every state of a row and right and wrong claims.
class SettleTest : public StoreTest {
protected:
    /// The row's status after the statement was run under this owner and claim number.
    std::string run(const Transition& t, const std::string& status, const std::string& owner,
                    int claim_no)
    {
        const std::string table = t.on_letter ? "dead_letter_events" : "outbox_events";
        sql.exec("truncate outbox_events, dead_letter_events restart identity");
        emit("order-1");
        if (t.on_letter) {
            sql.exec("insert into dead_letter_events (original_event_id, aggregate_id, event_type, "
                     "reason) values (1, 'order-1', 'Made', 'POISONED')");
        }
        sql.exec("update " + table + " set status = '" + status +
                 "', lease_owner = 'me', claim_no = 7");
        pg::Query query{*t.statement, {}};
        const std::vector<std::int64_t> ids{1}, claim{claim_no}, retries{2}, delay{1'000'000};
        const std::vector<std::string> why{"why"}, reason{"POISONED"};
        query.params.text(owner);
        const std::string_view name = t.statement->name;
        if (name == "finish_cancel") {
            query.params.integer(1).integer(claim_no).integers(ids);
        } else {
            query.params.integers(ids).integers(claim);
        }
        if (name.starts_with("defer")) {
            query.params.integers(delay).integers(retries).texts(why);
        } else if (name == "fail_letters") {
            query.params.integers(retries).texts(why);
        } else if (name == "fail_events" || name == "give_up_events") {
            query.params.texts(reason).texts(why).integers(retries);
        }
        const auto rows =
            testing::run(context, connection->run(std::move(query), Deadline::after(patience)));
        if (!rows) {
            throw std::runtime_error(rows.error().text());
        }
        const std::string after = sql.one("select status from " + table);
        EXPECT_EQ(rows->size(), after == status ? 0U : 1U) << name;
        return after;
    }
};

TEST_F(SettleTest, changes_what_is_held_under_its_own_claim_and_nothing_else)
{
    const Transition all[] = {
        {&sql::finish_events, false, "PROCESSED"},  {&sql::defer_events, false, "PENDING"},
        {&sql::give_up_events, false, "PROCESSED"}, {&sql::fail_events, false, "FAILED"},
        {&sql::stop_events, false, "CANCELLED"},    {&sql::release_events, false, "PENDING"},
        {&sql::finish_cancel, false, "PROCESSED"},  {&sql::finish_letters, true, "PROCESSED"},
        {&sql::defer_letters, true, "PENDING"},     {&sql::fail_letters, true, "FAILED"},
        {&sql::release_letters, true, "PENDING"},
    };
    for (const Transition& t : all) {
        SCOPED_TRACE(t.statement->name);
        EXPECT_EQ(run(t, "PROCESSING", "me", 7), t.becomes);
        EXPECT_EQ(run(t, "PROCESSING", "me", 6), "PROCESSING");
        EXPECT_EQ(run(t, "PROCESSING", "me", 8), "PROCESSING");
        EXPECT_EQ(run(t, "PROCESSING", "you", 7), "PROCESSING");
        for (const std::string status : {"PENDING", "PROCESSED", "FAILED"}) {
            EXPECT_EQ(run(t, status, "me", 7), status);
        }
        const std::string last = t.on_letter ? "RESOLVED" : "CANCELLED";
        EXPECT_EQ(run(t, last, "me", 7), last);
    }
}

TEST_F(SettleTest, looks_up_by_an_index_what_was_planned_on_empty_tables)
{
    std::vector<std::string> texts;
    for (const pg::Statement* s :
         {&sql::claim_ready, &sql::claim_ready_unordered, &sql::claim_heads, &sql::claim_due,
          &sql::claim_letters, &sql::insert_results, &sql::find_cancels, &sql::finish_events,
          &sql::give_up_events, &sql::defer_events, &sql::renew_events, &sql::find_stored,
          &sql::check_settled, &sql::load_events, &sql::load_results, &sql::find_cancel_targets,
          &sql::finish_cancel, &sql::find_next_due, &sql::cancel_waiting}) {
        for (const auto& [name, value] : planner_settings()) {
            sql.exec("select set_config('" + name + "', '" + value + "', false)");
        }
        sql.exec("prepare " + std::string(s->name) + " as " + std::string(s->text));
        texts.emplace_back(s->name);
    }
    const auto arguments = [this](const std::string& name) {
        return sql.one("select case when cardinality(parameter_types) = 0 then '' else '(' || "
                       "array_to_string(array_fill('null'::text, "
                       "array[cardinality(parameter_types)]), ',') || ')' end "
                       "from pg_prepared_statements where name = $1",
                       {name});
    };
    for (const std::string& name : texts) {
        sql.exec("explain execute " + name + arguments(name));
    }
    sql.exec("insert into outbox_events (aggregate_id, event_type, payloads, status) "
             "select 'order-' || i, 'Made', '{}', case when i % 20 = 0 then 'PENDING' else "
             "'PROCESSED' end from generate_series(1, 20000) i;"
             "insert into aggregate_results (event_id, aggregate_id, event_type, destination, "
             "success, outcome) select i, 'o', 'Made', 'a', true, 'succeeded' "
             "from generate_series(1, 20000) i");
    for (const std::string& name : texts) {
        std::string plan;
        for (const auto& row : sql.rows("explain execute " + name + arguments(name))) {
            plan += row[0] + "\n";
        }
        EXPECT_EQ(plan.find("Seq Scan"), std::string::npos) << name << "\n" << plan;
    }
}

} // namespace
} // namespace sagabox::store
