#include "tests/functional/program_run.hpp"
#include "tests/functional/saga_fixture.hpp"

namespace sagabox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Why : public SagaTest {
protected:
    void start(const Config& text) { relay = std::make_unique<StartedRelay>(text); }

    [[nodiscard]] std::string why(const std::string& target, const std::string& rest = "") const
    {
        const ProgramRun run =
            run_program("why -c " + relay->config_file().string() + " " + rest + " -- " + target);
        EXPECT_EQ(run.code, 0) << run.output;
        return run.output;
    }

    std::unique_ptr<StartedRelay> relay;
};

TEST_F(Why, an_event_waits_for_its_retry_says_which_when_and_after_what)
{
    Config text = abc();
    text.with("outbox.backoff { kind = linear, base = 1 hour, max = 1 hour }");
    stub.on("/b", answer(503));
    start(text);
    const std::string event = emit("order-1", "Made");
    sql->await("select count(*) from outbox_events where retry_count = 1", "1");
    EXPECT_THAT(why(event),
                AllOf(HasSubstr("event " + event + ", Made of order-1: PENDING"),
                      HasSubstr("retry 1 of 3 is due in 60 min, after: "), HasSubstr("503"),
                      HasSubstr("next: "), Not(HasSubstr("no relay"))));
}

TEST_F(Why, one_behind_another_of_its_aggregate_names_it)
{
    Config text = abc();
    stub.on("/a", hanging());
    start(text);
    const std::string first = emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    const std::string second = emit("order-1", "Made");
    EXPECT_THAT(why(second), HasSubstr("it waits behind event " + first +
                                       " (Made) of the same aggregate, which is PROCESSING"));
    EXPECT_THAT(why(first), HasSubstr("works on it, and its lease runs for"));
    // By the aggregate, both are told of, in their order.
    const std::string both = why("order-1");
    EXPECT_LT(both.find("event " + first + ","), both.find("event " + second + ","));
    EXPECT_NE(both.find("event " + first + ","), std::string::npos);
    stub.release();
    await_status(second, "PROCESSED");
    EXPECT_THAT(why(second), HasSubstr("it was delivered at "));
}

TEST_F(Why, one_whose_destination_is_left_alone_says_so_and_until_when)
{
    stub.on("/a", answer(503));
    start(config().with(fmt::format("outbox.http.routes.a {{ url = \"{}\", limits {{ breaker {{ "
                                    "failures = 1, openFor = 1 hour }} }} }}",
                                    stub.url("/a"))));
    emit("order-1", "a");
    sql->await("select count(*) from outbox_destinations where open_until > now()", "1");
    const std::string second = emit("order-2", "a");
    sql->await("select count(*) from outbox_events where last_error like '%left alone%'", "1");
    EXPECT_THAT(why(second), AllOf(HasSubstr("a is left alone for 60 min more, since it failed"),
                                   HasSubstr("it comes back in"), HasSubstr("503")));
}

TEST_F(Why, no_relay_is_connected)
{
    start(abc());
    relay->signal(SIGTERM);
    ASSERT_EQ(relay->wait_exit(patience), 0);
    const std::string event = emit("order-1", "Made");
    EXPECT_THAT(why(event), HasSubstr("no relay is connected to this database"));
}

TEST_F(Why, one_whose_letter_waits_for_a_person_says_what_to_do)
{
    Config text = abc();
    stub.on("/b/undo", answer(400));
    stub.on("/c", answer(422));
    start(text);
    const std::string event = emit("order-1", "Made");
    await_letter(event, "FAILED");
    const std::string id = letter(event, "id");
    EXPECT_THAT(why(event), AllOf(HasSubstr("its dead letter " + id + " waits for a person"),
                                  HasSubstr("sagabox dead-letters retry " + id)));
}

TEST_F(Why, one_behind_a_saga_that_is_being_undone_names_its_letter)
{
    Config text = abc();
    text.with("outbox.backoff { kind = linear, base = 1 hour, max = 1 hour }");
    stub.on("/b/undo", answer(503));
    stub.on("/c", answer(422));
    start(text);
    const std::string event = emit("order-1", "Made");
    sql->await("select count(*) from dead_letter_events where revert_retry_count = 1", "1");
    const std::string id = letter(event, "id");
    EXPECT_THAT(why(event), AllOf(HasSubstr("it failed for good, after: c: 422"),
                                  HasSubstr("undoing it, dead letter " + id +
                                            ", goes on in 60 min with "
                                            "retry 1 of 3, after: b.revert"),
                                  HasSubstr("next: ")));
    const std::string next = emit("order-1", "Made");
    EXPECT_THAT(why(next), HasSubstr("it waits behind dead letter " + id + " of event " + event));
}

TEST_F(Why, one_that_is_delayed_and_one_that_is_not_there)
{
    start(abc());
    const std::string event = sql->one(
        "insert into outbox_events (aggregate_id, event_type, payloads, next_retry_at) values "
        "('4711', 'Made', '{}', now() + interval '3 days') returning id");
    EXPECT_THAT(why(event), HasSubstr("it is not to begin before "));
    EXPECT_THAT(why("4711"), HasSubstr("event " + event + ",")) << "no event, but an aggregate";
    EXPECT_THAT(why(event, "--json"), HasSubstr("\"aggregateId\":\"4711\""));
    const ProgramRun none =
        run_program("why -c " + relay->config_file().string() + " order-unheard-of");
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.output, HasSubstr("there is no event and no aggregate order-unheard-of"));
}

} // namespace
} // namespace sagabox::testing
