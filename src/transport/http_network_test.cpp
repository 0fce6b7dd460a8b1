// Whom a call may reach: judged by the address that the socket would go to.
#include "transport/http_calls_test.hpp"

namespace sagabox::transport {
namespace {

TEST_F(HttpCalls, an_address_that_the_rules_refuse_is_never_connected_to)
{
    options.network = AddressRules({"loopback"}, {});
    const HttpAnswer answer = call(post("/"));
    EXPECT_EQ(answer.delivery, Delivery::not_sent);
    EXPECT_EQ(answer.error, "the network rules do not permit a connection to 127.0.0.1");
    EXPECT_EQ(stub.connections(), 0U);
}

TEST_F(HttpCalls, an_address_that_the_rules_permit_is_called)
{
    options.network = AddressRules({"any"}, {"127.0.0.1"});
    stub.on("/", Reply{});
    EXPECT_EQ(call(post("/")).status, 200);
}

TEST_F(HttpCalls, a_name_counts_by_what_it_resolves_to)
{
    options.network = AddressRules({"loopback"}, {});
    for (const std::string host : {"localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"}) {
        HttpRequest request = post("/");
        request.url = "http://" + host + ":" + std::to_string(stub.port()) + "/";
        const HttpAnswer answer = call(request);
        EXPECT_EQ(answer.delivery, Delivery::not_sent) << host;
        EXPECT_TRUE(answer.error.starts_with("the network rules do not permit")) << answer.error;
    }
    EXPECT_EQ(stub.connections(), 0U);
}

TEST_F(HttpCalls, a_redirect_to_a_refused_address_is_not_followed_and_may_have_taken_effect)
{
    options.network = AddressRules({"127.0.0.2"}, {});
    const std::string inside = "http://127.0.0.2:" + std::to_string(stub.port()) + "/to";
    stub.on("/from", Reply{.status = 307, .headers = {{"Location", inside}}});
    HttpRequest request = post("/from");
    request.follow_redirects = true;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::unanswered);
    EXPECT_EQ(answer.error,
              "redirected, and the network rules do not permit a connection to 127.0.0.2");
    EXPECT_EQ(stub.arrivals("/to").size(), 0U);
}

} // namespace
} // namespace sagabox::transport
