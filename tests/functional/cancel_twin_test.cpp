#include "tests/functional/saga_fixture.hpp"

namespace sagabox::testing {
namespace {

/// A cancel of events that wait for a retry, with relays that poll too seldom to help.
class CancelTwin : public SagaTest {
protected:
    [[nodiscard]] Config seldom_polling()
    {
        return abc()
            .with("outbox.pollInterval = 60 seconds")
            .with("outbox.cleanupInterval = 60 seconds")
            .with("outbox.leaseDuration = 30 seconds");
    }

    std::string cancel() { return sql->one("select outbox_emit('1', '!Made', '{}')"); }

    static Reply later() { return answer(503, "Retry-After", "60"); }

    void await_retry(const std::string& event) const
    {
        sql->await("select status || retry_count from outbox_events where id = " + event,
                   "PENDING1");
    }
};

TEST_F(CancelTwin, overtakes_all_that_it_cancels_where_the_first_waits_for_its_retry)
{
    const Config text = seldom_polling();
    stub.on("/b", later());
    const StartedRelay relay(text);
    const std::string first = emit("1", "Made");
    await_retry(first);
    const std::string second = emit("1", "Made");
    await_status(cancel(), "PROCESSED");
    EXPECT_EQ(status_of(first), "CANCELLED");
    EXPECT_EQ(status_of(second), "CANCELLED");
    EXPECT_EQ(calls(), "POST /a, POST /b, DELETE /a/undo");
}

TEST_F(CancelTwin, that_came_during_a_call_goes_on_when_that_is_to_be_retried)
{
    const Config text = seldom_polling();
    stub.on(
        "/b",
        Reply{.status = 503, .headers = {{"Retry-After", "60"}}, .manner = Reply::Manner::hang});
    const StartedRelay relay(text);
    const std::string first = emit("1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/b", 1, patience));
    const std::string undo = cancel();
    // Whoever looks now finds it behind an event that is worked on.
    await_status(emit("2", "!Made"), "PROCESSED");
    stub.release();
    await_status(undo, "PROCESSED");
    EXPECT_EQ(status_of(first), "CANCELLED");
    EXPECT_EQ(calls(), "POST /a, POST /b, DELETE /a/undo");
}

} // namespace
} // namespace sagabox::testing
