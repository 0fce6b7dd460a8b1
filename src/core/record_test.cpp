#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

using namespace std::chrono_literals;

Call call()
{
    Call call;
    call.request.url = "https://user:s3cret@h/a?token=s3cret";
    call.row.destination = "billing";
    call.row.attempt = 2;
    call.row.endpoint_url = "https://h/a?token=***";
    call.row.request = json_of(R"({"a":1})");
    return call;
}

Answer answered(int status, std::string body = {}, Headers headers = {})
{
    Answer answer;
    answer.delivery = Answer::Delivery::answered;
    answer.status = status;
    answer.body = std::move(body);
    answer.headers = std::move(headers);
    answer.duration = 12ms;
    return answer;
}

StepResult read(const Answer& answer, const Call& made = call())
{
    return record(made, answer, test_now, 1h);
}

std::string stored(const Answer& answer)
{
    const StepResult row = read(answer);
    return row.response ? json::write(*row.response) : "(none)";
}

TEST(Record, keeps_the_call_and_adds_the_answer)
{
    const StepResult row = read(answered(201, R"({"id":1.10})"));
    EXPECT_EQ(row.destination, "billing");
    EXPECT_EQ(row.attempt, 2);
    EXPECT_EQ(json::write(row.request), R"({"a":1})");
    EXPECT_EQ(row.outcome, Outcome::succeeded);
    EXPECT_EQ(row.response_status, 201);
    EXPECT_EQ(json::write(*row.response), R"({"id":1.10})");
    EXPECT_EQ(row.error, "");
    EXPECT_EQ(row.duration, 12ms);
    EXPECT_EQ(row.published_at, test_now);
    EXPECT_EQ(row.retry_after, std::nullopt);
}

TEST(Record, stores_json_as_json)
{
    for (const char* body :
         {"7", "[1]", "\"text\"", "null", R"({"n":123456789012345678901234567890})"}) {
        EXPECT_EQ(stored(answered(200, body)), body);
    }
}

TEST(Record, stores_any_other_body_raw_and_calls_it_success_all_the_same)
{
    const Headers html{{"content-TYPE", "text/html"}};
    EXPECT_EQ(stored(answered(200, "OK", html)), R"({"raw":"OK","contentType":"text/html"})");
    EXPECT_EQ(stored(answered(200, "{\"id\":")), R"({"raw":"{\"id\":","contentType":""})");
    EXPECT_EQ(read(answered(200, "<html>", html)).outcome, Outcome::succeeded);
}

TEST(Record, stores_nothing_for_an_empty_body)
{
    EXPECT_EQ(stored(answered(204)), "(none)");
    EXPECT_EQ(read(answered(200)).outcome, Outcome::succeeded);
}

TEST(Record, loses_no_result_to_nul_or_invalid_utf_8)
{
    const std::string body("a\0b\xff", 4);
    const std::string type("text/\xfe", 6);
    const StepResult row = read(answered(200, body, {{"Content-Type", type}}));
    EXPECT_EQ(*row.response->find("raw")->as_string(), "a\xef\xbf\xbd"
                                                       "b\xef\xbf\xbd");
    EXPECT_EQ(*row.response->find("contentType")->as_string(), "text/\xef\xbf\xbd");
}

TEST(Record, keeps_a_cut_body_for_the_reader_only)
{
    Answer answer = answered(200, "{}", {{"Content-Type", "application/json"}});
    answer.truncated = true;
    const StepResult row = read(answer);
    EXPECT_EQ(row.outcome, Outcome::succeeded);
    EXPECT_EQ(json::write(*row.response),
              R"({"raw":"{}","truncated":true,"contentType":"application/json"})");
    EXPECT_TRUE(is_cut(*row.response));
}

TEST(Record, takes_no_whole_answer_for_cut)
{
    for (const char* whole :
         {"{}", "7", R"({"raw":"x","contentType":""})",
          R"({"raw":"x","contentType":"","truncated":false})",
          R"({"raw":"x","contentType":"","truncated":true,"id":1})", R"({"truncated":true})"}) {
        EXPECT_FALSE(is_cut(json_of(whole))) << whole;
    }
}

TEST(Record, does_not_know_what_a_broken_off_answer_meant)
{
    Answer answer = answered(200, R"({"id":1})");
    answer.delivery = Answer::Delivery::unanswered;
    answer.error = "connection reset";
    const StepResult row = read(answer);
    EXPECT_EQ(row.outcome, Outcome::unknown);
    EXPECT_EQ(row.response_status, 200);
    EXPECT_TRUE(is_cut(*row.response));
    EXPECT_EQ(row.error, "200 OK, but the answer broke off: connection reset");
}

TEST(Record, has_no_status_where_none_was_seen)
{
    Answer answer;
    answer.delivery = Answer::Delivery::unanswered;
    answer.error = "no answer within 5 s";
    StepResult row = read(answer);
    EXPECT_EQ(row.outcome, Outcome::unknown);
    EXPECT_EQ(row.response_status, std::nullopt);
    EXPECT_EQ(row.response, std::nullopt);
    EXPECT_EQ(row.error, "no answer within 5 s");

    answer.delivery = Answer::Delivery::not_sent;
    answer.error = "connection refused";
    row = read(answer);
    EXPECT_EQ(row.outcome, Outcome::failed);
    EXPECT_EQ(row.response_status, std::nullopt);
    EXPECT_EQ(row.error, "connection refused");
}

TEST(Record, always_has_words_for_what_did_not_succeed)
{
    EXPECT_EQ(read(answered(503)).error, "503 Service Unavailable");
    EXPECT_EQ(read(answered(409)).error, "409 Conflict");
    EXPECT_EQ(read(answered(499)).error, "499");
    EXPECT_EQ(read(answered(302)).error, "302 Found");
    Answer answer;
    for (const auto delivery : {Answer::Delivery::not_sent, Answer::Delivery::unanswered}) {
        answer.delivery = delivery;
        EXPECT_NE(read(answer).error, "");
        EXPECT_EQ(read(answer).error.find("s3cret"), std::string::npos);
    }
}

TEST(Record, counts_what_is_gone_as_undone)
{
    Call revert = call();
    revert.row.direction = Direction::revert;
    EXPECT_EQ(read(answered(404), revert).outcome, Outcome::succeeded);
    EXPECT_EQ(read(answered(404), revert).error, "");
}

TEST(Record, reads_retry_after_where_the_call_may_be_repeated)
{
    const Headers header{{"retry-after", " 7 "}};
    EXPECT_EQ(read(answered(503, "", header)).retry_after, 7s);
    EXPECT_EQ(read(answered(429, "", header)).retry_after, 7s);
    EXPECT_EQ(read(answered(502, "", header)).retry_after, 7s);
    EXPECT_EQ(read(answered(200, "", header)).retry_after, std::nullopt);
    EXPECT_EQ(read(answered(400, "", header)).retry_after, std::nullopt);
    EXPECT_EQ(read(answered(301, "", header)).retry_after, std::nullopt);
}

TEST(Record, cuts_retry_after_to_the_cap)
{
    EXPECT_EQ(read(answered(503, "", {{"Retry-After", "99999999999999999999"}})).retry_after, 1h);
    EXPECT_EQ(read(answered(503, "", {{"Retry-After", "0"}})).retry_after, 0s);
}

TEST(Record, uses_no_retry_after_that_contradicts_itself)
{
    EXPECT_EQ(read(answered(503, "", {{"Retry-After", "1"}, {"retry-after", "2"}})).retry_after,
              std::nullopt);
    EXPECT_EQ(read(answered(503, "", {{"Retry-After", "2"}, {"retry-after", "2"}})).retry_after,
              2s);
    EXPECT_EQ(read(answered(503, "", {{"Retry-After", "1, 2"}})).retry_after, std::nullopt);
}

TEST(Record, reads_the_header_that_the_route_names)
{
    Call made = call();
    made.retry_after.header_name = "X-RateLimit-Reset";
    made.retry_after.format = RetryAfterFormat::milliseconds;
    EXPECT_EQ(read(answered(429, "", {{"x-ratelimit-reset", "1500"}}), made).retry_after, 1500ms);
    EXPECT_EQ(read(answered(429, "", {{"Retry-After", "7"}}), made).retry_after, std::nullopt);
}

TEST(Record, falls_back_only_for_429_and_503)
{
    Call made = call();
    made.retry_after.fallback = 30s;
    EXPECT_EQ(read(answered(429), made).retry_after, 30s);
    EXPECT_EQ(read(answered(503, "", {{"Retry-After", "abc"}}), made).retry_after, 30s);
    EXPECT_EQ(read(answered(503, "", {{"Retry-After", "4"}}), made).retry_after, 4s);
    EXPECT_EQ(read(answered(500), made).retry_after, std::nullopt);
    EXPECT_EQ(read(answered(504), made).retry_after, std::nullopt);
    EXPECT_EQ(read(Answer{}, made).retry_after, std::nullopt);
    made.retry_after.fallback = 2h;
    EXPECT_EQ(read(answered(429), made).retry_after, 1h);
}

TEST(Record, reads_the_pause_from_the_body_where_the_route_says_so)
{
    Call made = call();
    made.retry_after.from_body = true;
    made.retry_after.json_path = path_of("$.retryAfter");
    const Headers header{{"Retry-After", "7"}};
    EXPECT_EQ(read(answered(503, R"({"retryAfter":12})", header), made).retry_after, 12s);
    EXPECT_EQ(read(answered(503, R"({"retryAfter":"13"})"), made).retry_after, 13s);
    EXPECT_EQ(read(answered(503, R"({"retryAfter":1.5})"), made).retry_after, std::nullopt);
    EXPECT_EQ(read(answered(503, R"({"retryAfter":null})", header), made).retry_after, 7s);
    EXPECT_EQ(read(answered(503, R"({"retryAfter":-1})", header), made).retry_after, 7s);
    EXPECT_EQ(read(answered(503, "busy", header), made).retry_after, 7s);
    made.retry_after.from_body = false;
    EXPECT_EQ(read(answered(503, R"({"retryAfter":12})", header), made).retry_after, 7s);
}

TEST(Record, reads_a_routes_own_classification)
{
    Call made = call();
    made.classify.success = {{409, 409}};
    EXPECT_EQ(read(answered(409), made).outcome, Outcome::succeeded);
}

} // namespace
} // namespace sagabox::core
