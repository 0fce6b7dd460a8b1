#include "tests/functional/saga_fixture.hpp"

#include <csignal>

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;

using SagaOrder = SagaTest;

TEST_F(SagaOrder, is_reversed_for_undoing_and_waits_for_a_revert_that_fails)
{
    Config text = abc();
    stub.on("/d", answer(400));
    stub.on("/b/undo", answer(500)).then(answer(500)).then(answer(200));
    StartedRelay relay(text.route("d", stub).fanout("Made", {"a", "b", "c", "d"}));
    const std::string event = emit("1", "Made");
    await_end(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c, POST /d, DELETE /c/undo, "
                       "DELETE /b/undo, DELETE /b/undo, DELETE /b/undo, DELETE /a/undo");
    EXPECT_EQ(results(event),
              "a succeeded, b succeeded, c succeeded, d rejected, c.revert succeeded, "
              "b.revert failed, b.revert failed, b.revert succeeded, a.revert succeeded");
}

TEST_F(SagaOrder, stops_at_a_revert_that_is_refused_until_a_person_has_it_go_on)
{
    Config text = abc();
    stub.on("/d", answer(400));
    stub.on("/b/undo", answer(400));
    StartedRelay relay(text.route("d", stub).fanout("Made", {"a", "b", "c", "d"}));
    const std::string event = emit("1", "Made");
    await_end(event, "FAILED");
    EXPECT_EQ(arrivals("/c/undo"), 1U);
    EXPECT_EQ(arrivals("/b/undo"), 1U);
    EXPECT_EQ(arrivals("/a/undo"), 0U);
    EXPECT_THAT(letter(event, "revert_error"), HasSubstr("b.revert: 400 Bad Request"));

    stub.on("/b/undo", answer(200));
    give_back_letter(event);
    await_letter(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c, POST /d, DELETE /c/undo, DELETE /b/undo, "
                       "DELETE /b/undo, DELETE /a/undo");
}

TEST_F(SagaOrder, gives_a_revert_the_letters_own_number_of_retries)
{
    Config text = abc();
    stub.on("/b", answer(400));
    stub.on("/a/undo", answer(503));
    StartedRelay relay(text.with("outbox.dlq.maxRetries = 1"));
    const std::string event = emit("1", "Made");
    await_end(event, "FAILED");
    EXPECT_EQ(arrivals("/a/undo"), 2U);
    EXPECT_EQ(letter(event, "revert_retry_count"), "1");
}

TEST_F(SagaOrder, takes_what_is_already_gone_for_undone)
{
    Config text = abc();
    stub.on("/c", answer(400));
    stub.on("/b/undo", answer(404));
    stub.on("/a/undo", answer(410));
    StartedRelay relay(text);
    const std::string event = emit("1", "Made");
    await_end(event, "PROCESSED");
    EXPECT_EQ(results(event),
              "a succeeded, b succeeded, c rejected, b.revert succeeded, a.revert succeeded");
}

TEST_F(SagaOrder, passes_over_steps_that_have_no_revert)
{
    Config text = abc();
    stub.on("/c", answer(400));
    stub.on("/look", answer(200));
    StartedRelay relay(text.route("look", stub).fanout("Made", {"a", "look", "c"}));
    const std::string event = emit("1", "Made");
    await_end(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /look, POST /c, DELETE /a/undo");
}

TEST_F(SagaOrder, undoes_by_the_stored_results_though_the_fan_out_has_changed)
{
    Config text = abc();
    stub.on("/c", answer(503));
    StartedRelay relay(text.with("outbox.backoff.base = 1 second"));
    const std::string event = emit("1", "Made");
    await_status(event, "PENDING");
    sql->await("select count(*) from aggregate_results where event_id = " + event, "3");
    stub.on("/c", answer(400));
    relay.rewrite_config(text.fanout("Made", {"c"}).text());
    relay.signal(SIGHUP);
    ASSERT_TRUE(relay.wait_for_log("reloaded", patience));
    await_end(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /c, POST /c, DELETE /b/undo, DELETE /a/undo");
}

TEST_F(SagaOrder, undoes_the_route_that_was_taken)
{
    stub.on("/home", answer(200, R"({"id":"h1"})"));
    stub.on("/abroad", answer(200, R"({"id":"x1"})"));
    stub.on("/home/h1", answer(200));
    stub.on("/abroad/x1", answer(200));
    stub.on("/b", answer(400));
    const auto route = [this](const std::string& name) {
        return fmt::format(
            R"({{ url = "{}", condition {{ jsonPath = "$.kind", operator = eq, value = {} }}
                                 revert {{ url = "{}", extract {{ id = "$.id" }} }} }})",
            stub.url("/" + name), name, stub.url("/" + name + "/{id}"));
    };
    StartedRelay relay(config()
                           .with("outbox.http.routes.a.routes = [ " + route("home") + "\n" +
                                 route("abroad") + " ]")
                           .route("b", stub)
                           .fanout("Made", {"a", "b"}));
    await_end(emit("1", "Made", R"({"a":{"kind":"abroad"}})"), "PROCESSED");
    await_end(emit("2", "Made", R"({"a":{"kind":"home"}})"), "PROCESSED");
    EXPECT_EQ(calls(),
              "POST /abroad, POST /b, DELETE /abroad/x1, POST /home, POST /b, DELETE /home/h1");
}

TEST_F(SagaOrder, writes_a_row_for_a_step_that_no_route_takes_and_goes_on)
{
    Config text = abc();
    text.with(fmt::format(
        R"(outbox.http.routes.b.condition {{ jsonPath = "$.kind", operator = exists }})"));
    StartedRelay relay(text);
    const std::string event = emit("1", "Made", R"({"b":{"other":1}})");
    const std::string unsent = emit("2", "Made");
    await_status(event, "PROCESSED");
    await_status(unsent, "PROCESSED");
    EXPECT_EQ(results(event), "a succeeded, b skipped, c succeeded");
    EXPECT_EQ(results(unsent), "a succeeded, b skipped, c succeeded");
    EXPECT_EQ(arrivals("/b"), 0U);
    EXPECT_EQ(result(event, "b", "fanout_order"), "1");
    EXPECT_EQ(result(event, "b", "success"), "f");
    EXPECT_EQ(stub.arrivals("/a").at(0).body, "{}");
}

TEST_F(SagaOrder, sends_each_of_two_quick_events_of_one_order)
{
    stub.on("/note", answer(200));
    StartedRelay relay(config().route("note", stub).fanout("OrderStatusUpdated", {"note"}));
    for (const std::string status : {"PAID", "SHIPPED"}) {
        sql->exec("select outbox_emit('order-1', 'OrderStatusUpdated', jsonb_build_object('note', "
                  "jsonb_build_object('status', $1::text)), 'order-1:' || $1::text)",
                  {status});
    }
    await_count("outbox_events where status = 'PROCESSED'", 2);
    const std::vector<Arrival> notes = stub.arrivals("/note");
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_THAT(notes[0].body, HasSubstr("PAID"));
    EXPECT_THAT(notes[1].body, HasSubstr("SHIPPED"));
    EXPECT_NE(notes[0].header("Idempotency-Key"), notes[1].header("Idempotency-Key"));
}

TEST_F(SagaOrder, takes_a_second_click_for_the_first_while_that_is_active)
{
    stub.on("/a", hanging()).then(answer(200));
    StartedRelay relay(config().route("a", stub));
    const std::string click = "select outbox_emit('order-1', 'a', '{}')";
    const std::string first = sql->one(click);
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    sql->exec("begin");
    EXPECT_EQ(sql->one(click), first);
    sql->exec("commit");
    stub.release();
    await_status(first, "PROCESSED");

    const std::string later = sql->one(click);
    EXPECT_NE(later, first);
    await_status(later, "PROCESSED");
    EXPECT_EQ(arrivals("/a"), 2U);
}

TEST_F(SagaOrder, holds_nobody_up_for_an_event_whose_time_has_not_come)
{
    stub.on("/later", answer(200));
    stub.on("/now", answer(200));
    StartedRelay relay(config().route("later", stub).route("now", stub));
    sql->exec("select outbox_emit('1', 'later', '{}', not_before => now() + interval '1 s')");
    const std::string event = emit("1", "now");
    await_status(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /now");
    await_count("outbox_events where status = 'PROCESSED'", 2);
    EXPECT_EQ(calls(), "POST /now, POST /later");
    EXPECT_EQ(
        sql->one(
            "select min(r.published_at) >= min(e.created_at) + interval '1 s' from outbox_events e "
            "join aggregate_results r on r.event_id = e.id where e.event_type = 'later'"),
        "t");
}

TEST_F(SagaOrder, puts_an_unknown_type_aside_and_keeps_its_speed_for_the_others)
{
    stub.on("/a", answer(200));
    StartedRelay relay(config().route("a", stub));
    sql->exec("insert into outbox_events (aggregate_id, event_type, payloads) "
              "select i, case when i % 2 = 0 then 'a' else 'Unheard' end, '{}' from "
              "generate_series(1, 200) i");
    await_count("outbox_events where status = 'PROCESSED'", 200);
    EXPECT_EQ(arrivals("/a"), 100U);
    EXPECT_EQ(
        sql->one("select count(*) from dead_letter_events where reason = 'NON_RETRYABLE_ERROR' "
                 "and last_error like '%outbox.http.fanout.Unheard%'"),
        "100");
}

TEST_F(SagaOrder, puts_payloads_that_are_no_object_aside)
{
    stub.on("/a", answer(200));
    StartedRelay relay(config().route("a", stub));
    for (const std::string payloads : {"[]", "7", "\"text\"", "null"}) {
        const std::string event = emit(payloads, "a", payloads);
        await_end(event, "PROCESSED");
        EXPECT_THAT(letter(event, "last_error"), HasSubstr("object")) << payloads;
    }
    EXPECT_EQ(calls(), "");
}

/// The step that failed for good may have taken effect (contract 5.9).
class InDoubt : public SagaTest {
protected:
    Config a_then_b(const std::string& revert_of_b)
    {
        stub.on("/a", answer(200));
        stub.on("/a/undo", answer(200));
        return config()
            .with("outbox.maxRetries = 1")
            .route("a", stub, Config::Revert::always)
            .with(fmt::format("outbox.http.routes.b {{ url = \"{}\", timeout = 200 milliseconds\n "
                              "revert {{ {} }} }}",
                              stub.url("/b"), revert_of_b))
            .fanout("Made", {"a", "b"});
    }
    std::string undone_by(const std::string& source) const
    {
        return fmt::format(R"(url = "{}", extract {{ id = "{}" }})", stub.url("/b/{id}"), source);
    }
};

TEST_F(InDoubt, is_undone_by_what_was_sent)
{
    stub.on("/b", hanging());
    stub.on("/b/r-1", answer(200));
    StartedRelay relay(a_then_b(undone_by("request:$.id")));
    const std::string event = emit("1", "Made", R"({"b":{"id":"r-1"}})");
    await_end(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /b, DELETE /b/r-1, DELETE /a/undo");
}

TEST_F(InDoubt, is_undone_by_its_key)
{
    stub.on("/b", {.manner = Reply::Manner::reset}).then(answer(400));
    StartedRelay relay(
        a_then_b(fmt::format("url = \"{}\"", stub.url("/undo?key={idempotencyKey}"))));
    stub.on("/undo", answer(200));
    const std::string event = emit("1", "Made");
    await_end(event, "PROCESSED");
    EXPECT_EQ(results(event),
              "a succeeded, b unknown, b rejected, b.revert succeeded, a.revert succeeded");
    EXPECT_EQ(stub.arrivals("/undo").at(0).target,
              "/undo?key=" +
                  sql->one("select event_uuid from outbox_events where id = $1", {event}) + "%3Ab");
}

TEST_F(InDoubt, is_left_to_a_person_where_only_the_lost_answer_could_undo_it)
{
    stub.on("/b", answer(502));
    StartedRelay relay(a_then_b(undone_by("response:$.id")));
    const std::string event = emit("1", "Made", R"({"b":{"id":"r-1"}})");
    await_end(event, "FAILED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /b, DELETE /a/undo");
    EXPECT_THAT(letter(event, "revert_error"), HasSubstr("b of event " + event));
}

TEST_F(InDoubt, is_not_felt_where_the_peer_refused)
{
    stub.on("/b", answer(500)).then(answer(400));
    StartedRelay relay(a_then_b(undone_by("request:$.id")));
    const std::string event = emit("1", "Made", R"({"b":{"id":"r-1"}})");
    await_end(event, "PROCESSED");
    EXPECT_EQ(calls(), "POST /a, POST /b, POST /b, DELETE /a/undo");
}

TEST_F(InDoubt, is_not_felt_where_nobody_listened)
{
    std::string nobody;
    {
        const StubServer gone;
        nobody = gone.url("/");
    }
    StartedRelay relay(
        a_then_b(undone_by("request:$.id")).with("outbox.http.routes.b.url = \"" + nobody + "\""));
    const std::string event = emit("1", "Made", R"({"b":{"id":"r-1"}})");
    await_end(event, "PROCESSED");
    EXPECT_EQ(results(event), "a succeeded, b failed, b failed, a.revert succeeded");
}

} // namespace
} // namespace sagabox::testing
