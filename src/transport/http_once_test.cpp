// A request that may have been delivered is never sent again: arrivals equal calls.
#include "transport/http_calls_test.hpp"

namespace sagabox::transport {
namespace {

using Manner = Reply::Manner;

struct Sending {
    const char* method;
    std::optional<std::string> body;
};

class SentOnce : public HttpCalls, public ::testing::WithParamInterface<Sending> {
protected:
    HttpRequest request() const
    {
        return HttpRequest{.method = GetParam().method,
                           .url = stub.url("/trap"),
                           .body = GetParam().body,
                           .timeout = 5s};
    }
};

INSTANTIATE_TEST_SUITE_P(
    Methods, SentOnce,
    ::testing::Values(Sending{"POST", "{}"}, Sending{"POST", std::nullopt}, Sending{"POST", ""},
                      Sending{"PUT", "{}"}, Sending{"DELETE", std::nullopt},
                      Sending{"DELETE", "{}"}, Sending{"GET", std::nullopt},
                      Sending{"HEAD", std::nullopt},
                      Sending{"POST", std::string(std::size_t{300} << 10, 'b')}));

TEST_P(SentOnce, when_a_kept_connection_closes_before_the_answer)
{
    stub.on("/trap", Reply{}).then(Reply{.manner = Manner::close}).then(Reply{});
    EXPECT_EQ(call(request()).status, 200);
    const HttpAnswer trapped = call(request());
    EXPECT_EQ(trapped.delivery, Delivery::unanswered);
    EXPECT_EQ(trapped.status, 0);
    EXPECT_EQ(trapped.error, "the connection was closed before an answer came");
    ASSERT_EQ(stub.arrivals("/trap").size(), 2U);
    // The trap has sprung only if the connection was a kept one.
    EXPECT_EQ(stub.arrivals("/trap").at(0).connection, stub.arrivals("/trap").at(1).connection);
    EXPECT_EQ(call(request()).status, 200);
    EXPECT_EQ(stub.arrivals("/trap").size(), 3U);
}

TEST_P(SentOnce, when_a_kept_connection_is_reset_before_the_answer)
{
    stub.on("/trap", Reply{}).then(Reply{.manner = Manner::reset}).then(Reply{});
    EXPECT_EQ(call(request()).status, 200);
    EXPECT_EQ(call(request()).delivery, Delivery::unanswered);
    ASSERT_EQ(stub.arrivals("/trap").size(), 2U);
    EXPECT_EQ(stub.arrivals("/trap").at(0).connection, stub.arrivals("/trap").at(1).connection);
    EXPECT_EQ(call(request()).status, 200);
    EXPECT_EQ(stub.arrivals("/trap").size(), 3U);
}

TEST_P(SentOnce, when_a_fresh_connection_closes_before_the_answer)
{
    stub.on("/trap", Reply{.manner = Manner::close}).then(Reply{});
    EXPECT_EQ(call(request()).delivery, Delivery::unanswered);
    EXPECT_EQ(stub.arrivals("/trap").size(), 1U);
}

TEST_P(SentOnce, when_the_peer_closed_an_idle_connection_the_call_still_succeeds)
{
    stub.on("/trap", Reply{.close_after = true}).then(Reply{});
    EXPECT_EQ(call(request()).status, 200);
    ASSERT_TRUE(stub.wait_for_open_connections(0, 5s));
    EXPECT_EQ(call(request()).status, 200);
    EXPECT_EQ(stub.arrivals("/trap").size(), 2U);
}

TEST_F(HttpCalls, a_hundred_kept_connections_that_close_at_once_repeat_nothing)
{
    stub.on("/many", Reply{.delay = 50ms});
    std::vector<HttpRequest> requests(100, post("/many"));
    call_all(requests);
    stub.on("/many", Reply{.manner = Manner::close, .delay = 20ms});
    for (const HttpAnswer& answer : call_all(requests)) {
        EXPECT_EQ(answer.delivery, Delivery::unanswered);
    }
    EXPECT_EQ(stub.arrivals("/many").size(), 200U);
}

} // namespace
} // namespace sagabox::transport
