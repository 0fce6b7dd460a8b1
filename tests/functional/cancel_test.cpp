#include "tests/functional/saga_fixture.hpp"

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;

class Cancel : public SagaTest {
protected:
    std::string cancel(const std::string& aggregate = "1")
    {
        return sql->one("select outbox_emit($1, '!Made', '{}')", {aggregate});
    }
};

TEST_F(Cancel, undoes_a_finished_event_last_step_first)
{
    StartedRelay relay(abc());
    const std::string event = emit("1", "Made");
    const std::string other = emit("2", "Made");
    await_status(event, "PROCESSED");
    await_status(other, "PROCESSED");
    const std::string undo = cancel();
    await_status(undo, "PROCESSED");
    EXPECT_EQ(results(event), "a succeeded, b succeeded, c succeeded, c.revert succeeded, "
                              "b.revert succeeded, a.revert succeeded");
    EXPECT_EQ(results(other), "a succeeded, b succeeded, c succeeded");
    EXPECT_EQ(sql->one("select distinct cause_event_id from aggregate_results where destination "
                       "like '%.revert'"),
              undo);
    const Arrival call = stub.arrivals("/c/undo").at(0);
    EXPECT_EQ(call.header("X-Event-Id"), undo);
    EXPECT_EQ(call.header("X-Event-Type"), "!Made");
    EXPECT_EQ(call.header("X-Revert-Event-Type"), "Made");
    EXPECT_EQ(call.header("Idempotency-Key"),
              sql->one("select event_uuid from outbox_events where id = $1", {event}) +
                  ":c.revert");
}

TEST_F(Cancel, twice_finds_everything_undone)
{
    StartedRelay relay(abc());
    const std::string event = emit("1", "Made");
    await_status(event, "PROCESSED");
    const std::string first = cancel();
    await_status(first, "PROCESSED");
    const std::string second = cancel();
    ASSERT_NE(first, second);
    await_status(second, "PROCESSED");
    EXPECT_EQ(stub.arrivals().size(), 6U);
    EXPECT_EQ(results(second), "");
}

TEST_F(Cancel, of_nothing_is_done_at_once)
{
    StartedRelay relay(abc());
    await_status(cancel(), "PROCESSED");
    EXPECT_EQ(calls(), "");
}

TEST_F(Cancel, ends_an_event_that_was_never_begun)
{
    const std::string event = emit("1", "Made");
    const std::string undo = cancel();
    StartedRelay relay(abc());
    await_status(undo, "PROCESSED");
    EXPECT_EQ(status_of(event), "CANCELLED");
    EXPECT_EQ(calls(), "");
}

TEST_F(Cancel, ends_an_event_that_waits_for_a_retry_and_undoes_what_it_did)
{
    Config text = abc();
    stub.on("/b", answer(503, "Retry-After", "60"));
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    sql->await("select status || retry_count from outbox_events where id = " + event, "PENDING1");
    const std::string undo = cancel();
    await_status(undo, "PROCESSED");
    EXPECT_EQ(status_of(event), "CANCELLED");
    EXPECT_EQ(calls(), "POST /a, POST /b, DELETE /a/undo");
}

TEST_F(Cancel, ends_an_event_that_was_emitted_for_later)
{
    StartedRelay relay(abc());
    const std::string event =
        sql->one("select outbox_emit('1', 'Made', '{}', not_before => now() + interval '1 hour')");
    const std::string undo = cancel();
    await_status(undo, "PROCESSED");
    EXPECT_EQ(status_of(event), "CANCELLED");
    EXPECT_EQ(calls(), "");
}

TEST_F(Cancel, waits_for_the_call_under_way_and_stops_the_event_at_its_next_step)
{
    Config text = abc();
    stub.on("/b", hanging());
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/b", 1, patience));
    const std::string undo = cancel();
    stub.release();
    await_status(undo, "PROCESSED");
    EXPECT_EQ(status_of(event), "CANCELLED");
    EXPECT_EQ(calls(), "POST /a, POST /b, DELETE /b/undo, DELETE /a/undo");
}

TEST_F(Cancel, takes_back_an_event_whose_last_call_was_under_way)
{
    Config text = abc();
    stub.on("/c", hanging());
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/c", 1, patience));
    const std::string undo = cancel();
    stub.release();
    await_status(undo, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c, DELETE /c/undo, DELETE /b/undo, DELETE /a/undo");
}

TEST_F(Cancel, waits_for_a_compensation_under_way_and_undoes_nothing_twice)
{
    Config text = abc();
    stub.on("/c", answer(400));
    stub.on("/b/undo", hanging());
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/b/undo", 1, patience));
    const std::string undo = cancel();
    stub.release();
    await_status(undo, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c, DELETE /b/undo, DELETE /a/undo");
    await_end(event, "PROCESSED");
}

TEST_F(Cancel, undoes_what_a_failed_letter_left_and_closes_it)
{
    Config text = abc();
    stub.on("/c", answer(400));
    stub.on("/b/undo", answer(400)).then(answer(200));
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    await_end(event, "FAILED");
    const std::string undo = cancel();
    await_status(undo, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c, DELETE /b/undo, DELETE /b/undo, DELETE /a/undo");
    await_letter(event, "PROCESSED");
}

TEST_F(Cancel, undoes_several_events_last_first)
{
    StartedRelay relay(abc().fanout("Made", {"a", "b"}));
    const std::string first = emit("1", "Made");
    const std::string second = emit("1", "Made");
    await_status(second, "PROCESSED");
    await_status(cancel(), "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /a, POST /b, "
                       "DELETE /b/undo, DELETE /a/undo, DELETE /b/undo, DELETE /a/undo");
    EXPECT_EQ(sql->one("select string_agg(distinct event_id::text, ',') from (select event_id from "
                       "aggregate_results "
                       "where destination like '%.revert' order by id limit 2) r"),
              second);
    EXPECT_EQ(status_of(first), "PROCESSED");
}

TEST_F(Cancel, leaves_alone_what_was_emitted_after_it)
{
    StartedRelay relay(abc());
    await_status(cancel(), "PROCESSED");
    const std::string event = emit("1", "Made");
    await_status(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c");
}

TEST_F(Cancel, that_runs_out_of_retries_fails_and_is_never_itself_compensated)
{
    Config text = abc();
    stub.on("/b/undo", answer(500));
    StartedRelay relay(text.with("outbox.dlq.maxRetries = 1").with("outbox.maxRetries = 1"));
    const std::string event = emit("1", "Made");
    await_status(event, "PROCESSED");
    const std::string undo = cancel();
    await_status(undo, "FAILED");
    EXPECT_EQ(letter(undo, "status"), "FAILED");
    EXPECT_EQ(letter(undo, "event_type"), "!Made");
    EXPECT_THAT(letter(undo, "revert_error"), HasSubstr("b.revert"));
    EXPECT_EQ(arrivals("/b/undo"), 2U);
    EXPECT_EQ(arrivals("/a/undo"), 0U);

    // Asked anew, it goes on where the first one stopped.
    stub.on("/b/undo", answer(200));
    await_status(cancel(), "PROCESSED");
    EXPECT_EQ(arrivals("/c/undo"), 1U);
    EXPECT_EQ(arrivals("/a/undo"), 1U);
}

TEST_F(Cancel, whose_letter_a_person_gives_back_goes_on_undoing)
{
    Config text = abc();
    stub.on("/b/undo", answer(400));
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    await_status(event, "PROCESSED");
    const std::string undo = cancel();
    await_status(undo, "FAILED");
    stub.on("/b/undo", answer(200));
    give_back_letter(undo);
    await_letter(undo, "PROCESSED");
    EXPECT_EQ(arrivals("/b/undo"), 2U);
    EXPECT_EQ(arrivals("/a/undo"), 1U);
}

} // namespace
} // namespace sagabox::testing
