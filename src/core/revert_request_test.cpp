#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

Revert revert(std::string_view url, std::vector<std::pair<std::string, std::string>> extract = {},
              std::optional<std::string> payload = std::nullopt)
{
    Revert revert;
    revert.url = must(UrlTemplate::parse(url));
    for (auto& [name, expression] : extract) {
        revert.extract.push_back(must(Extraction::parse(name, expression)));
    }
    if (payload) {
        revert.payload = must(BodyTemplate::parse(*payload));
    }
    return revert;
}

StepResult done(std::optional<std::string> response = R"({"reservationId":"R-7"})",
                std::string_view request = R"({"orderId":5,"amount":99.90})")
{
    StepResult row;
    row.destination = "inventory";
    row.outcome = Outcome::succeeded;
    row.request = json_of(request);
    if (response) {
        row.response = json_of(*response);
    }
    return row;
}

Request build(const StepResult& row, const Revert& how)
{
    return must(build_revert(test_event(), test_event(), row, how));
}

std::string fault_of(const StepResult& row, const Revert& how)
{
    const auto request = build_revert(test_event(), test_event(), row, how);
    return request ? "(none)" : request.error().text();
}

const char* const release = "http://h/inventory/{reservationId}/release";

TEST(RevertRequest, is_built_from_the_stored_answer)
{
    const Request request =
        build(done(), revert(release, {{"reservationId", "response:$.reservationId"}}));
    EXPECT_EQ(request.method, "DELETE");
    EXPECT_EQ(request.url, "http://h/inventory/R-7/release");
    EXPECT_EQ(request.body, std::nullopt);
    EXPECT_EQ(header(request.headers, "Content-Type"), nullptr);
}

TEST(RevertRequest, is_built_from_the_stored_request)
{
    const Request request =
        build(done(std::nullopt), revert("http://h/o/{id}", {{"id", "request:$.orderId"}}));
    EXPECT_EQ(request.url, "http://h/o/5");
}

TEST(RevertRequest, sends_a_body_only_where_one_is_configured)
{
    Revert refund =
        revert("http://h/refunds", {{"amount", "request:$.amount"}, {"id", "$.reservationId"}},
               R"({"amount": {amount}, "text": "{amount} for {id}"})");
    refund.method = "POST";
    const Request request = build(done(), refund);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.body, R"({"text":"99.90 for R-7","amount":99.90})");
    EXPECT_EQ(header_text(request.headers, "Content-Type"), "application/json");

    refund.payload.reset();
    EXPECT_EQ(build(done(), refund).body, std::nullopt);
}

TEST(RevertRequest, knows_the_forward_steps_key)
{
    StepResult row = done();
    const Revert by_key =
        revert("http://h/by-key/{idempotencyKey}", {}, R"({"k":"{idempotencyKey}"})");
    const Request request = build(row, by_key);
    EXPECT_EQ(request.url, "http://h/by-key/0f8fad5b-d9cb-469f-a165-70867728950e%3Ainventory");
    EXPECT_EQ(request.body, R"({"k":"0f8fad5b-d9cb-469f-a165-70867728950e:inventory"})");
    row.run = 2;
    EXPECT_EQ(build(row, by_key).url,
              "http://h/by-key/0f8fad5b-d9cb-469f-a165-70867728950e%3Ainventory%3A2");
}

TEST(RevertRequest, says_whom_it_undoes_and_on_whose_behalf)
{
    const Event event = test_event();
    Event cancel = test_event();
    cancel.id = EventId{99};
    cancel.type = "!OrderCreated";
    cancel.uuid = "11111111-2222-3333-4444-555555555555";
    cancel.created_at = test_now + std::chrono::seconds{3};
    const Request request = must(build_revert(event, cancel, done(), revert("http://h/x")));
    const Headers expected{
        {"X-Event-Id", "99"},
        {"X-Event-Type", "!OrderCreated"},
        {"X-Aggregate-Id", "123"},
        {"X-Destination", "inventory.revert"},
        {"X-Created-At", "2026-11-30T21:51:20Z"},
        {"Idempotency-Key", "0f8fad5b-d9cb-469f-a165-70867728950e:inventory.revert"},
        {"traceparent", header_text(request.headers, "traceparent")},
        {"X-Revert-Aggregate-Id", "123"},
        {"X-Revert-Event-Type", "OrderCreated"},
        {"X-Revert-Destination", "inventory"},
    };
    EXPECT_EQ(request.headers, expected);
    EXPECT_TRUE(header_text(request.headers, "traceparent")
                    .starts_with("00-0f8fad5bd9cb469fa16570867728950e-"));
}

TEST(RevertRequest, has_one_key_for_one_effect_whoever_undoes_it)
{
    Event event = test_event();
    StepResult row = done();
    event.run = 2;
    row.run = 2;
    const auto key = [&](const Event& sender) {
        return header_text(must(build_revert(event, sender, row, revert("http://h/x"))).headers,
                           "Idempotency-Key");
    };
    Event cancel = test_event();
    cancel.type = "!OrderCreated";
    EXPECT_EQ(key(event), "0f8fad5b-d9cb-469f-a165-70867728950e:inventory.revert:2");
    EXPECT_EQ(key(cancel), key(event));
    EXPECT_EQ(key(event), idempotency_key(event, "inventory", Direction::revert));
}

TEST(RevertRequest, takes_configured_headers_but_not_the_key)
{
    Revert configured = revert("http://h/x");
    configured.headers = {{"X-Api-Key", "k"}, {"idempotency-key", "evil"}};
    configured.timeout = std::chrono::seconds{3};
    const Request request = build(done(), configured);
    EXPECT_EQ(header_text(request.headers, "X-Api-Key"), "k");
    EXPECT_EQ(header(request.headers, "idempotency-key"), nullptr);
    EXPECT_EQ(request.timeout, std::chrono::seconds{3});
    configured.headers = {{"X-A", "a\r\nb"}};
    EXPECT_EQ(fault_of(done(), configured), "header X-A: its value holds CR, LF or NUL");
}

TEST(RevertRequest, says_which_value_is_missing_and_where_it_looked)
{
    const Revert how = revert(release, {{"reservationId", "response:$.reservationId"}});
    const std::string start = "reservationId: $.reservationId ";
    EXPECT_EQ(fault_of(done("{}"), how), start + "matches nothing in inventory's stored response");
    EXPECT_EQ(fault_of(done(R"({"reservationId":null})"), how),
              start + "is null in inventory's stored response");
    EXPECT_EQ(fault_of(done(R"({"reservationId":""})"), how),
              start + "is empty in inventory's stored response");
    EXPECT_EQ(fault_of(done(R"({"reservationId":{}})"), how),
              start + "is an object in inventory's stored response");
    EXPECT_EQ(fault_of(done(std::nullopt), how),
              start + "can't be read, inventory has no stored response");
    EXPECT_EQ(fault_of(done(R"({"raw":"{","contentType":"","truncated":true})"), how),
              start + "can't be read, inventory's stored response was cut");
    EXPECT_EQ(fault_of(done(R"({"reservationId":".."})"), how),
              "reservationId would make a path segment of dots only");
    EXPECT_EQ(fault_of(done(), revert(release, {{"reservationId", "request:$.id"}})),
              "reservationId: $.id matches nothing in inventory's stored request");
    EXPECT_EQ(fault_of(done(), revert(release)), "reservationId: no extract names it");
}

TEST(RevertRequest, misses_nothing_that_only_the_body_needs)
{
    const std::vector<std::pair<std::string, std::string>> extract{{"id", "$.id"}};
    EXPECT_EQ(fault_of(done("{}"), revert("http://h/x", extract, R"({"a": {id}})")),
              "id: $.id matches nothing in inventory's stored response");
    EXPECT_EQ(fault_of(done(R"({"id":null})"), revert("http://h/x", extract, R"({"a": "{id}"})")),
              "id: $.id is null in inventory's stored response");
    EXPECT_EQ(fault_of(done(R"({"id":{}})"), revert("http://h/x", extract, R"({"a": "{id}"})")),
              "id is an object");
    EXPECT_EQ(build(done(R"({"id":{}})"), revert("http://h/x", extract, R"({"a": {id}})")).body,
              R"({"a":{}})");
}

TEST(RevertRequest, takes_zero_and_false_for_values)
{
    const std::vector<std::pair<std::string, std::string>> extract{{"id", "$.id"}};
    EXPECT_EQ(build(done(R"({"id":0})"), revert("http://h/{id}", extract)).url, "http://h/0");
    EXPECT_EQ(build(done(R"({"id":false})"), revert("http://h/{id}", extract)).url,
              "http://h/false");
}

TEST(RevertRequest, does_not_care_for_values_that_it_does_not_use)
{
    EXPECT_EQ(fault_of(done("{}"), revert("http://h/x", {{"id", "$.id"}})), "(none)");
}

TEST(NeedsResponse, looks_at_what_is_used_only)
{
    const std::vector<std::pair<std::string, std::string>> extract{{"answered", "$.id"},
                                                                   {"sent", "request:$.id"}};
    EXPECT_FALSE(needs_response(revert("http://h/x", extract)));
    EXPECT_FALSE(needs_response(revert("http://h/{sent}/{idempotencyKey}", extract)));
    EXPECT_TRUE(needs_response(revert("http://h/{answered}", extract)));
    EXPECT_TRUE(needs_response(revert("http://h/{sent}", extract, R"({"a":"{answered}"})")));
    EXPECT_FALSE(needs_response(revert("http://h/{sent}", extract, R"({"a":{sent}})")));
}

} // namespace
} // namespace sagabox::core
