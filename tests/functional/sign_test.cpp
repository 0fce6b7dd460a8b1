#include "base/base64.hpp"
#include "tests/functional/saga_fixture.hpp"
#include "transport/webhook_signature.hpp"

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::string_view other = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

class Sign : public SagaTest {
protected:
    /// The path is called with a signature that this secret's holder takes for good.
    static void expect_signed(const Arrival& call, std::string_view by)
    {
        EXPECT_EQ(call.count_of("webhook-id"), 1U);
        EXPECT_EQ(call.count_of("webhook-timestamp"), 1U);
        EXPECT_EQ(call.count_of("webhook-signature"), 1U);
        EXPECT_EQ(call.header("webhook-id"), call.header("Idempotency-Key"));
        const std::int64_t time = std::stoll(call.header("webhook-timestamp"));
        EXPECT_LT(
            std::abs(time - std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())),
            60);
        EXPECT_EQ(call.header("webhook-signature"),
                  transport::webhook_signature(decode_base64(by).value(), call.header("webhook-id"),
                                               time, call.body));
    }
};

TEST_F(Sign, calls_and_reverts_leave_signed_under_one_id_at_each_attempt)
{
    stub.on("/a", answer(500)).then(answer(200, R"({"id": "a-1"})"));
    stub.on("/a/a-1", answer(200));
    stub.on("/b", answer(400));
    Config text = config();
    text.with(fmt::format(
        "outbox.http.routes.a {{ url = \"{0}\", headers {{ Webhook-Signature = forged }}, "
        "sign {{ secret = \"whsec_{1}\" }}, revert {{ url = \"{0}/{{id}}\", extract {{ id = "
        "\"$.id\" }} }} }}",
        stub.url("/a"), secret));
    text.with(fmt::format("outbox.http.routes.b {{ routes = [ {{ url = \"{0}\", sign {{ secret = "
                          "\"whsec_{1}\" }} }} ] }}",
                          stub.url("/b"), other));
    text.fanout("Made", {"a", "b"});
    StartedRelay relay(text);
    await_end(emit("order-1", "Made"), "PROCESSED");

    const auto calls = stub.arrivals("/a");
    ASSERT_EQ(calls.size(), 2U);
    expect_signed(calls[0], secret);
    expect_signed(calls[1], secret);
    EXPECT_EQ(calls[0].header("webhook-id"), calls[1].header("webhook-id"));
    expect_signed(stub.arrivals("/b").at(0), other);
    expect_signed(stub.arrivals("/a/a-1").at(0), secret);
    EXPECT_NE(stub.arrivals("/a/a-1").at(0).header("webhook-id"), calls[0].header("webhook-id"));
    EXPECT_THAT(relay.log(), Not(HasSubstr(std::string(secret))));
    EXPECT_EQ(sql->one("select count(*) from aggregate_results where "
                       "to_jsonb(aggregate_results)::text ilike '%webhook-signature%'"),
              "0");
}

TEST_F(Sign, what_has_no_secret_is_not_signed)
{
    Config text = abc();
    StartedRelay relay(text);
    await_status(emit("order-1", "Made"), "PROCESSED");
    EXPECT_EQ(stub.arrivals("/a").at(0).count_of("webhook-signature"), 0U);
}

} // namespace
} // namespace sagabox::testing
