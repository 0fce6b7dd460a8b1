#include "tests/functional/api_fixture.hpp"
#include "tests/functional/frozen_thread.hpp"

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Health : public ApiRelayTest {
protected:
    [[nodiscard]] std::string database() const { return sql->one("select current_database()"); }

    [[nodiscard]] std::string with_user(const std::string& user) const
    {
        const std::size_t from = url.find("://") + 3;
        return url.substr(0, from) + user + url.substr(url.find('@'));
    }
};

TEST_F(Health, is_red_while_an_event_that_could_be_taken_waits_too_long)
{
    Config text = abc();
    text.with("outbox.maxInFlight = 1").with("health.maxAge = 300 ms");
    stub.on("/a", {.manner = Reply::Manner::hang});
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(await_answer(port, "/readyz", 200).at("problems"), "[]");

    emit("order-1", "Made");
    ASSERT_TRUE(stub.wait_for_arrivals("/a", 1, patience));
    const std::string waiting = emit("order-2", "Made");
    const HttpAnswer red = await_answer(port, "/readyz", 503);
    EXPECT_THAT(red.at("problems"), HasSubstr("events_wait"));
    EXPECT_THAT(red.at("detail"), HasSubstr("An event that could be taken has waited for"));
    stub.release();
    await_status(waiting, "PROCESSED");
    EXPECT_EQ(await_answer(port, "/readyz", 200).at("problems"), "[]");
}

TEST_F(Health, is_red_while_claims_cannot_be_written_though_the_database_answers)
{
    sql->exec("create role relay_of_" + database() + " login");
    const auto grant = [this](const std::string& what) {
        sql->exec(what + " relay_of_" + database());
    };
    grant("grant all on all tables in schema public to");
    grant("grant all on all sequences in schema public to");
    Config text = abc();
    text.with("database.url = \"" + with_user("relay_of_" + database()) + "\"");
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(await_answer(port, "/readyz", 200).at("problems"), "[]");

    sql->exec("revoke update on outbox_events from relay_of_" + database());
    const HttpAnswer red = await_answer(port, "/readyz", 503);
    EXPECT_THAT(red.at("problems"), HasSubstr("claims_fail"));
    EXPECT_THAT(red.at("database"), HasSubstr("\"reachable\":true"));
    EXPECT_EQ(get(port, "/healthz").status, 200) << "starting anew would not help";

    grant("grant update on outbox_events to");
    EXPECT_EQ(await_answer(port, "/readyz", 200).at("problems"), "[]");
    grant("drop owned by");
    grant("drop role");
}

TEST_F(Health, is_red_while_a_destination_brings_nothing_but_failures_and_names_it)
{
    Config text = abc();
    text.with("outbox.maxRetries = 1000").with("health.destinationDownAfter = 300 ms");
    stub.on("/b", answer(500));
    const StartedRelay relay(text);
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(await_answer(port, "/readyz", 200).at("problems"), "[]");
    const std::string event = emit("order-1", "Made");
    const HttpAnswer red = await_answer(port, "/readyz", 503);
    EXPECT_THAT(red.at("problems"), HasSubstr("destination_down"));
    EXPECT_THAT(red.at("problems"), HasSubstr("b has brought nothing but failures"));
    EXPECT_THAT(red.at("problems"), Not(HasSubstr("a has brought")));
    EXPECT_THAT(red.at("relay"), HasSubstr("\"destination\":\"b\""));
    EXPECT_EQ(get(port, "/healthz").status, 200);

    stub.on("/b", answer(200));
    await_status(event, "PROCESSED");
    EXPECT_EQ(await_answer(port, "/readyz", 200).at("problems"), "[]");
}

TEST_F(Health, takes_the_process_for_stuck_only_while_a_worker_stands_still)
{
    const StartedRelay relay(abc().with("health.stuckAfter = 2 s"));
    const std::uint16_t port = port_of(relay);
    EXPECT_EQ(await_answer(port, "/healthz", 200).at("status"), "up");
    {
        const FrozenThread frozen(relay.pid(), "worker 0");
        const HttpAnswer red = await_answer(port, "/healthz", 503);
        EXPECT_THAT(red.at("problems"), HasSubstr("worker_stuck"));
        EXPECT_THAT(get(port, "/readyz").at("problems"), HasSubstr("worker_stuck"));
    }
    EXPECT_EQ(await_answer(port, "/healthz", 200).at("problems"), "[]");
}

} // namespace
} // namespace sagabox::testing
