#include "core/redact.hpp"

#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

std::string without(std::string_view body, const std::vector<std::string_view>& paths)
{
    std::vector<json::Path> compiled;
    for (const std::string_view path : paths) {
        compiled.push_back(path_of(path));
    }
    return json::write(redacted(json_of(body), compiled));
}

TEST(Redaction, replaces_each_node_that_a_path_selects_and_keeps_the_rest_digit_for_digit)
{
    EXPECT_EQ(without(R"({"id":12.10,"card":{"no":"4111","cvc":1}})", {"$.card.no", "$.card.cvc"}),
              R"({"id":12.10,"card":{"no":"[redacted]","cvc":"[redacted]"}})");
    EXPECT_EQ(without(R"([{"iban":"A"},{"x":1},{"iban":null}])", {"$[*].iban"}),
              R"([{"iban":"[redacted]"},{"x":1},{"iban":"[redacted]"}])");
    EXPECT_EQ(without(R"({"a":{"b":{"secret":[1,2]}}})", {"$..secret"}),
              R"({"a":{"b":{"secret":"[redacted]"}}})");
    EXPECT_EQ(without(R"({"card":{"no":1}})", {"$.card", "$.card.no"}), R"({"card":"[redacted]"})");
    EXPECT_EQ(without("7", {"$"}), R"("[redacted]")");
}

TEST(Redaction, leaves_a_body_alone_that_no_path_fits)
{
    EXPECT_EQ(without(R"({"id":1})", {"$.card"}), R"({"id":1})");
    EXPECT_EQ(without(R"({"id":1})", {}), R"({"id":1})");
}

Plan plan_with(std::vector<std::string_view> request_paths)
{
    Plan plan;
    Destination billing{"billing", {Route{}}};
    for (const std::string_view path : request_paths) {
        billing.routes.front().redact.request.push_back(path_of(path));
    }
    plan.destinations.emplace("billing", std::move(billing));
    return plan;
}

TEST(Redaction, of_an_events_payloads_goes_by_destination_and_into_envelopes)
{
    const Plan plan = plan_with({"$.card"});
    EXPECT_EQ(json::write(shown_payloads(
                  json_of(R"({"billing":{"card":1,"x":2},"other":{"card":1}})"), plan)),
              R"({"other":{"card":1},"billing":{"x":2,"card":"[redacted]"}})");
    EXPECT_EQ(json::write(shown_payloads(
                  json_of(R"({"billing":{"payload":{"card":1},"pathParams":{"card":3}}})"), plan)),
              R"({"billing":{"payload":{"card":"[redacted]"},"pathParams":{"card":3}}})");
    EXPECT_EQ(json::write(shown_payloads(json_of("[1]"), plan)), "[1]");
}

Answer answered(std::string body, bool truncated = false)
{
    Answer answer;
    answer.delivery = Answer::Delivery::answered;
    answer.status = 200;
    answer.body = std::move(body);
    answer.truncated = truncated;
    return answer;
}

json::Value kept_of(const Answer& answer)
{
    Call call;
    call.redact.response.push_back(path_of("$.token"));
    return record(call, answer, test_now, std::chrono::hours{1}).response.value();
}

TEST(Redaction, keeps_the_rest_of_an_answer)
{
    EXPECT_EQ(json::write(kept_of(answered(R"({"token":"t","id":5})"))),
              R"({"id":5,"token":"[redacted]"})");
}

TEST(Redaction, keeps_nothing_of_an_answer_in_which_nothing_can_be_found)
{
    EXPECT_EQ(json::write(*kept_of(answered("token=t")).find("raw")), R"("[redacted]")");
    const json::Value cut = kept_of(answered(R"({"token":"t","id")", true));
    EXPECT_EQ(json::write(*cut.find("raw")), R"("[redacted]")");
    EXPECT_TRUE(is_cut(cut));
}

TEST(Redaction, reads_a_pause_before_it_hides_where_that_stood)
{
    Call call;
    call.redact.response.push_back(path_of("$"));
    call.retry_after.from_body = true;
    call.retry_after.json_path = path_of("$.wait");
    Answer answer = answered(R"({"wait":7})");
    answer.status = 503;
    const StepResult row = record(call, answer, test_now, std::chrono::hours{1});
    EXPECT_EQ(row.retry_after, std::chrono::seconds{7});
    EXPECT_EQ(json::write(row.response.value()), R"("[redacted]")");
}

TEST(Redaction, is_a_missing_value_to_a_revert_and_no_request_leaves)
{
    StepResult done;
    done.destination = "billing";
    done.response = json_of(R"({"id":"[redacted]"})");
    Revert revert;
    revert.url = must(UrlTemplate::parse("http://h/{id}"));
    revert.extract.push_back(must(Extraction::parse("id", "$.id")));
    const Result<Request> built = build_revert(test_event(), test_event(), done, revert);
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().text(), "id: $.id was redacted in billing's stored response");
}

} // namespace
} // namespace sagabox::core
