#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

Route route(std::string_view url = "http://h/reserve")
{
    Route route;
    route.url = must(UrlTemplate::parse(url));
    return route;
}

Result<Request> build(const Event& event, const Route& route)
{
    return build_forward(event, Destination{"inventory", {}}, route);
}

std::string fault_of(const Event& event, const Route& route)
{
    const auto request = build(event, route);
    return request ? "(none)" : request.error().text();
}

TEST(ForwardRequest, carries_the_contracts_headers_in_their_order)
{
    const Request request = must(build(test_event(R"({"inventory":{"a":1}})"), route()));
    const Headers expected{
        {"Content-Type", "application/json"},
        {"X-Event-Id", "17"},
        {"X-Event-Type", "OrderCreated"},
        {"X-Aggregate-Id", "123"},
        {"X-Destination", "inventory"},
        {"X-Created-At", "2026-11-30T21:51:17Z"},
        {"Idempotency-Key", "0f8fad5b-d9cb-469f-a165-70867728950e:inventory"},
        {"traceparent", header_text(request.headers, "traceparent")},
    };
    EXPECT_EQ(request.headers, expected);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.url, "http://h/reserve");
    EXPECT_EQ(request.body, R"({"a":1})");
}

TEST(ForwardRequest, takes_what_the_route_says)
{
    Route configured = route();
    configured.method = "PUT";
    configured.timeout = std::chrono::seconds{5};
    configured.follow_redirects = true;
    const Request request = must(build(test_event(), configured));
    EXPECT_EQ(request.method, "PUT");
    EXPECT_EQ(request.timeout, std::chrono::seconds{5});
    EXPECT_TRUE(request.follow_redirects);
}

TEST(ForwardRequest, sends_an_empty_object_where_there_is_nothing)
{
    EXPECT_EQ(must(build(test_event(), route())).body, "{}");
    EXPECT_EQ(must(build(test_event("7"), route())).body, "{}");
}

TEST(ForwardRequest, is_the_same_at_each_attempt_and_passes_digits_through)
{
    const Event event =
        test_event(R"({"inventory":{"b":100.10,"a":123456789012345678901234567890}})");
    const Request first = must(build(event, route()));
    const Request second = must(build(event, route()));
    EXPECT_EQ(first.body, R"({"a":123456789012345678901234567890,"b":100.10})");
    EXPECT_EQ(first.body, second.body);
    EXPECT_EQ(first.headers, second.headers);
}

TEST(ForwardRequest, has_no_body_where_the_method_has_none)
{
    for (const char* method : {"GET", "HEAD"}) {
        Route configured = route();
        configured.method = method;
        const Request request = must(build(test_event(R"({"inventory":{"a":1}})"), configured));
        EXPECT_EQ(request.body, std::nullopt);
        EXPECT_EQ(header(request.headers, "Content-Type"), nullptr);
    }
    Route configured = route();
    configured.method = "DELETE";
    EXPECT_EQ(must(build(test_event(), configured)).body, "{}");
}

TEST(ForwardRequest, fills_its_url_from_path_params_only)
{
    const Route configured = route("http://h/orders/{id}/x");
    EXPECT_EQ(
        must(build(test_event(R"({"inventory":{"pathParams":{"id":"a/b"}}})"), configured)).url,
        "http://h/orders/a%2Fb/x");
    EXPECT_EQ(fault_of(test_event(R"({"inventory":{"id":7}})"), configured),
              "pathParams: id is missing");
    EXPECT_EQ(fault_of(test_event(R"({"inventory":{"pathParams":{"id":null}}})"), configured),
              "pathParams: id is null");
    EXPECT_EQ(fault_of(test_event(R"({"inventory":{"pathParams":{"id":".."}}})"), configured),
              "pathParams: id would make a path segment of dots only");
    EXPECT_EQ(fault_of(test_event(), configured), "pathParams: id is missing");
}

TEST(ForwardRequest, appends_the_query)
{
    const Event event = test_event(
        R"({"inventory":{"payload":{},"query":{"a":"x&y=1","b c":2.50,"t":[1,"two"],"e":""}}})");
    const std::string query = "a=x%26y%3D1&e=&t=1&t=two&b%20c=2.50";
    EXPECT_EQ(must(build(event, route("http://h/r"))).url, "http://h/r?" + query);
    EXPECT_EQ(must(build(event, route("http://h/r?k=v"))).url, "http://h/r?k=v&" + query);
    EXPECT_EQ(must(build(event, route("http://h/r?"))).url, "http://h/r?" + query);
    EXPECT_EQ(must(build(event, route("http://h/r?k=v&"))).url, "http://h/r?k=v&" + query);
    EXPECT_EQ(must(build(event, route("http://h/r#f?g"))).url, "http://h/r?" + query + "#f?g");
}

TEST(ForwardRequest, refuses_query_values_that_are_none)
{
    for (const char* value : {"null", "{}", "[null]", "[[1]]", R"("a\r\nb")", R"("a\nb")"}) {
        const Event event = test_event(
            "{\"inventory\":{\"payload\":{},\"query\":{\"q\":" + std::string(value) + "}}}");
        EXPECT_TRUE(fault_of(event, route()).starts_with("query \"q\": ")) << value;
    }
}

TEST(ForwardRequest, lets_configured_headers_win_and_the_envelopes_win_over_them)
{
    Route configured = route();
    configured.headers = {{"content-type", "application/vnd.shop+json"},
                          {"X-Api-Key", "k"},
                          {"X-Tenant", "configured"}};
    const Event event =
        test_event(R"({"inventory":{"payload":{},"headers":{"x-tenant":"given","X-N":1.50}}})");
    const Request request = must(build(event, configured));
    EXPECT_EQ(header(request.headers, "Content-Type"), nullptr);
    EXPECT_EQ(header_text(request.headers, "content-type"), "application/vnd.shop+json");
    EXPECT_EQ(header_text(request.headers, "X-Api-Key"), "k");
    EXPECT_EQ(header(request.headers, "X-Tenant"), nullptr);
    EXPECT_EQ(header_text(request.headers, "x-tenant"), "given");
    EXPECT_EQ(header_text(request.headers, "X-N"), "1.50");
}

TEST(ForwardRequest, lets_nobody_set_the_key_or_the_framing)
{
    for (const char* name :
         {"idempotency-key", "IDEMPOTENCY-KEY", "Content-Length", "transfer-encoding", "Host",
          "Connection", "Expect", "te", "Trailer", "Upgrade"}) {
        Route configured = route();
        configured.headers = {{name, "evil"}};
        const Event event = test_event("{\"inventory\":{\"payload\":{},\"headers\":{\"" +
                                       std::string(name) + "\":\"evil\"}}}");
        for (const auto& [key, value] : must(build(event, configured)).headers) {
            EXPECT_NE(value, "evil") << key;
        }
        EXPECT_EQ(must(build(event, configured)).headers,
                  must(build(test_event(), route())).headers);
    }
}

TEST(ForwardRequest, refuses_headers_that_would_become_two)
{
    for (const std::string& value : {std::string("a\r\nX-Admin: 1"), std::string("a\n"),
                                     std::string("\r"), std::string("a\0b", 3)}) {
        Route configured = route();
        configured.headers = {{"X-A", value}};
        EXPECT_EQ(fault_of(test_event(), configured), "header X-A: its value holds CR, LF or NUL");
    }
    EXPECT_EQ(
        fault_of(test_event(R"({"inventory":{"payload":{},"headers":{"X-A":"a\r\nb"}}})"), route()),
        "header X-A: its value holds CR, LF or NUL");
    for (const char* name : {"", "X A", "X:A", "X-A\\r\\nX-B", "ключ", "X-A\\n"}) {
        const Event event = test_event("{\"inventory\":{\"payload\":{},\"headers\":{\"" +
                                       std::string(name) + "\":\"v\"}}}");
        EXPECT_NE(fault_of(event, route()).find("this is no header name"), std::string::npos)
            << name;
    }
}

TEST(ForwardRequest, refuses_header_values_that_are_no_scalars)
{
    for (const char* value : {"null", "{}", "[\"a\"]"}) {
        const Event event = test_event(
            "{\"inventory\":{\"payload\":{},\"headers\":{\"X-A\":" + std::string(value) + "}}}");
        EXPECT_TRUE(fault_of(event, route()).starts_with("header \"X-A\": ")) << value;
    }
}

TEST(ForwardRequest, refuses_a_broken_envelope)
{
    EXPECT_EQ(fault_of(test_event(R"({"inventory":{"payload":{},"headers":"X"}})"), route()),
              "headers must be a JSON object");
}

TEST(ForwardRequest, never_refuses_an_event_for_its_aggregates_name)
{
    Event event = test_event();
    event.aggregate_id = "a\r\nX-Admin: 1 ключ";
    event.type = std::string("T\0x", 3);
    const Request request = must(build(event, route()));
    EXPECT_EQ(header_text(request.headers, "X-Aggregate-Id"),
              "a%0D%0AX-Admin: 1 %D0%BA%D0%BB%D1%8E%D1%87");
    EXPECT_EQ(header_text(request.headers, "X-Event-Type"), "T%00x");
}

TEST(IdempotencyKey, names_event_destination_direction_and_run)
{
    Event event = test_event();
    event.uuid = "u";
    EXPECT_EQ(idempotency_key(event, "billing", Direction::forward), "u:billing");
    EXPECT_EQ(idempotency_key(event, "billing", Direction::revert), "u:billing.revert");
    event.run = 2;
    EXPECT_EQ(idempotency_key(event, "billing", Direction::forward), "u:billing:2");
    EXPECT_EQ(idempotency_key(event, "billing", Direction::revert), "u:billing.revert:2");
    event.run = 3;
    EXPECT_EQ(idempotency_key(event, "billing", Direction::forward), "u:billing:3");
}

std::string trace_of(std::string uuid, std::string destination = "inventory")
{
    Event event = test_event();
    event.uuid = std::move(uuid);
    return header_text(
        must(build_forward(event, Destination{std::move(destination), {}}, route())).headers,
        "traceparent");
}

TEST(Traceparent, is_one_trace_per_event_and_one_span_per_step)
{
    const std::string inventory = trace_of("0F8FAD5B-d9cb-469f-a165-70867728950e");
    const std::string billing = trace_of("0F8FAD5B-d9cb-469f-a165-70867728950e", "billing");
    EXPECT_EQ(inventory.size(), 55U);
    EXPECT_EQ(inventory.substr(0, 36), "00-0f8fad5bd9cb469fa16570867728950e-");
    EXPECT_EQ(inventory.substr(52), "-01");
    EXPECT_EQ(inventory.substr(0, 36), billing.substr(0, 36));
    EXPECT_NE(inventory.substr(36), billing.substr(36));
}

std::string continued(std::string given)
{
    Event event = test_event();
    event.traceparent = std::move(given);
    return header_text(must(build_forward(event, Destination{"inventory", {}}, route())).headers,
                       "traceparent");
}

TEST(Traceparent, goes_on_in_the_trace_in_which_the_event_was_committed)
{
    const std::string given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    const std::string sent = continued(given);
    EXPECT_EQ(sent.substr(0, 36), "00-4bf92f3577b34da6a3ce929d0e0e4736-");
    EXPECT_NE(sent.substr(36, 16), "00f067aa0ba902b7") << "each step is a span of its own";
    EXPECT_EQ(sent.substr(52), "-00") << "what was not sampled is not sampled from here on";
    EXPECT_EQ(continued(given.substr(0, 53) + "ff").substr(52), "-03");
    EXPECT_EQ(continued("01" + given.substr(2) + "-more").substr(0, 36), sent.substr(0, 36));
}

TEST(Traceparent, that_is_not_valid_is_as_good_as_none)
{
    const std::string none = continued("");
    for (const char* bad : {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-more",
                            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
                            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-00",
                            "00-00000000000000000000000000000000-00f067aa0ba902b7-00",
                            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-00",
                            "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-00",
                            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\r"}) {
        EXPECT_EQ(continued(bad), none) << bad;
    }
}

TEST(Traceparent, is_valid_for_any_uuid)
{
    for (const char* uuid : {"", "00000000-0000-0000-0000-000000000000", "not a uuid"}) {
        const std::string trace = trace_of(uuid);
        ASSERT_EQ(trace.size(), 55U) << uuid;
        EXPECT_NE(trace.substr(3, 32), std::string(32, '0'));
        EXPECT_EQ(trace.find_first_not_of("0123456789abcdef-"), std::string::npos);
    }
}

} // namespace
} // namespace sagabox::core
