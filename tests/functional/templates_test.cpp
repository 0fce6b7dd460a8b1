#include "tests/functional/saga_fixture.hpp"

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;

class Templates : public SagaTest {
protected:
    /// `Made` goes to a, whose revert is given, then to b, which refuses.
    Config undone_by(const std::string& revert)
    {
        stub.on("/b", answer(400));
        return config()
            .with(fmt::format("outbox.http.routes.a {{ url = \"{}\"\n revert {{ {} }} }}",
                              stub.url("/a"), revert))
            .route("b", stub)
            .fanout("Made", {"a", "b"});
    }

    void expect_json(const std::string& actual, const std::string& expected) const
    {
        EXPECT_EQ(sql->one("select $1::jsonb = $2::jsonb", {actual, expected}), "t")
            << actual << " instead of " << expected;
    }
};

TEST_F(Templates, send_no_request_where_a_value_is_missing_null_empty_or_no_scalar)
{
    StartedRelay relay(
        undone_by(fmt::format(R"(url = "{}", extract {{ paymentId = "response:$.id" }})",
                              stub.url("/payments/{paymentId}"))));
    int number = 0;
    for (const char* body : {"{}", R"({"id":null})", R"({"id":""})", R"({"id":{"x":1}})",
                             R"({"id":[1]})", "7", "", "not json"}) {
        stub.on("/a", answer(200, body));
        const std::string event = emit(std::to_string(++number), "Made");
        await_end(event, "FAILED");
        EXPECT_THAT(letter(event, "revert_error"), HasSubstr("paymentId")) << body;
        EXPECT_EQ(results(event), "a succeeded, b rejected") << body;
    }
    for (const Arrival& one : stub.arrivals()) {
        EXPECT_EQ(one.target.find("payments"), std::string::npos) << one.target;
    }
}

TEST_F(Templates, take_zero_and_false_for_values)
{
    StartedRelay relay(
        undone_by(fmt::format(R"(url = "{}", extract {{ id = "$.id", flag = "$.flag" }})",
                              stub.url("/undo/{id}?flag={flag}"))));
    stub.on("/a", answer(200, R"({"id":0,"flag":false})"));
    stub.on("/undo/0", answer(200));
    const std::string event = emit("1", "Made");
    await_end(event, "PROCESSED");
    ASSERT_EQ(arrivals("/undo/0"), 1U);
    EXPECT_EQ(stub.arrivals("/undo/0")[0].target, "/undo/0?flag=false");
}

struct Encoded {
    std::string value; ///< as JSON
    std::string sent;
};

const std::vector<Encoded> encoded{{R"("../../admin")", "..%2F..%2Fadmin"},
                                   {R"("a?x=1")", "a%3Fx%3D1"},
                                   {R"("a#b")", "a%23b"},
                                   {R"("100%")", "100%25"},
                                   {R"("ключ")", "%D0%BA%D0%BB%D1%8E%D1%87"},
                                   {R"("a+b")", "a%2Bb"},
                                   {R"("a b&c")", "a%20b%26c"},
                                   {R"("{other}")", "%7Bother%7D"},
                                   {R"("-._~")", "-._~"},
                                   {"true", "true"},
                                   {"12.10", "12.10"}};

TEST_F(Templates, percent_encode_a_value_in_a_forward_path)
{
    StartedRelay relay(
        config().with("outbox.http.routes.a.url = \"" + stub.url("/x/{id}/y") + "\""));
    for (const Encoded& one : encoded) {
        stub.on("/x/" + one.sent + "/y", answer(200));
        const std::string event =
            emit(one.sent, "a", R"({"a":{"pathParams":{"id":)" + one.value + "}}}");
        await_status(event, "PROCESSED");
        EXPECT_EQ(arrivals("/x/" + one.sent + "/y"), 1U) << one.value << ": " << calls();
    }
}

TEST_F(Templates, percent_encode_a_value_in_a_reverts_path)
{
    StartedRelay relay(undone_by(
        fmt::format(R"(url = "{}", extract {{ id = "response:$.id" }})", stub.url("/x/{id}/y"))));
    for (const Encoded& one : encoded) {
        stub.on("/a", answer(200, R"({"id":)" + one.value + "}"));
        stub.on("/x/" + one.sent + "/y", answer(200));
        const std::string event = emit(one.sent, "Made");
        await_end(event, "PROCESSED");
        EXPECT_EQ(arrivals("/x/" + one.sent + "/y"), 1U) << one.value << ": " << calls();
    }
}

TEST_F(Templates, refuse_what_would_climb_or_break_a_path)
{
    StartedRelay relay(
        config().with("outbox.http.routes.a.url = \"" + stub.url("/x/{id}/y") + "\""));
    int number = 0;
    for (const char* payloads :
         {R"({"a":{"pathParams":{"id":".."}}})", R"({"a":{"pathParams":{"id":"."}}})",
          R"({"a":{"pathParams":{"id":"a\r\nb"}}})", R"({"a":{"pathParams":{"id":null}}})",
          R"({"a":{"pathParams":{"id":""}}})", R"({"a":{"pathParams":{"id":{}}}})",
          R"({"a":{"pathParams":{}}})", R"({"a":{"pathParams":[]}})", R"({"a":{"id":"x"}})",
          "{}"}) {
        const std::string event = emit(std::to_string(++number), "a", payloads);
        await_end(event, "PROCESSED");
        EXPECT_EQ(letter(event, "reason"), "NON_RETRYABLE_ERROR") << payloads;
        EXPECT_THAT(letter(event, "last_error"), HasSubstr("a: ")) << payloads;
    }
    EXPECT_EQ(calls(), "");
}

TEST_F(Templates, keep_every_character_of_a_value_in_a_body)
{
    StartedRelay relay(undone_by(fmt::format(
        R"(url = "{}", method = POST, extract {{ v = "response:$.v", r = "request:$.v" }}
                       payload = """{{"text": "<{{v}}>", "whole": {{r}}}}""")",
        stub.url("/undo"))));
    stub.on("/undo", answer(200));
    const std::string nasty =
        R"( \"quoted\" \\ back\\slash \n\r\t {r} {v} ${x} \u2028\u2029 <script> \u0001 ü😀)";
    stub.on("/a", answer(200, R"({"v":")" + nasty + R"("})"));
    const std::string event = emit("1", "Made", R"({"a":{"v":")" + nasty + R"("}})");
    await_end(event, "PROCESSED");
    const std::vector<Arrival> undone = stub.arrivals("/undo");
    ASSERT_EQ(undone.size(), 1U);
    expect_json(undone[0].body, R"({"text":"<)" + nasty + R"(>","whole":")" + nasty + R"("})");
    expect_json(stub.arrivals("/a")[0].body, R"({"v":")" + nasty + R"("})");
}

TEST_F(Templates, make_text_inside_a_string_and_a_value_outside_one)
{
    StartedRelay relay(undone_by(fmt::format(R"(url = "{}", method = POST
                       extract {{ amount = "request:$.amount", flag = "$.flag", list = "$.list" }}
                       payload = """{{"text": "{{amount}}", "number": {{amount}}, "flag": {{flag}}, "list": {{list}}}}""")",
                                             stub.url("/undo"))));
    stub.on("/undo", answer(200));
    stub.on("/a", answer(200, R"({"flag":false,"list":[1,{"x":2.50}]})"));
    const std::string event = emit("1", "Made", R"({"a":{"amount":99.90}})");
    await_end(event, "PROCESSED");
    const std::vector<Arrival> undone = stub.arrivals("/undo");
    ASSERT_EQ(undone.size(), 1U);
    expect_json(undone[0].body,
                R"({"text":"99.90","number":99.90,"flag":false,"list":[1,{"x":2.50}]})");
    EXPECT_THAT(undone[0].body, HasSubstr("99.90"));
    EXPECT_EQ(undone[0].header("Content-Type"), "application/json");
}

TEST_F(Templates, name_the_value_that_a_body_lacks)
{
    StartedRelay relay(
        undone_by(fmt::format(R"(url = "{}", method = POST, extract {{ amount = "$.amount" }}
                                                payload = """{{"amount": {{amount}}}}""")",
                              stub.url("/undo"))));
    int number = 0;
    for (const char* body : {"{}", R"({"amount":null})", R"({"amount":""})"}) {
        stub.on("/a", answer(200, body));
        const std::string event = emit(std::to_string(++number), "Made");
        await_end(event, "FAILED");
        EXPECT_THAT(letter(event, "revert_error"), HasSubstr("amount")) << body;
    }
    EXPECT_EQ(arrivals("/undo"), 0U);
}

TEST_F(Templates, open_an_envelope_and_leave_any_other_value_whole)
{
    stub.on("/x/7", answer(200));
    stub.on("/b", answer(200));
    StartedRelay relay(
        config()
            .with("outbox.http.routes.a.url = \"" + stub.url("/x/{id}?fixed=1") + "\"")
            .route("b", stub)
            .fanout("Made", {"a", "b"}));
    const std::string event =
        emit("1", "Made",
             R"({"a":{"payload":{"n":1.50},"pathParams":{"id":7},"headers":{"X-Shop":"eu"},
                                            "query":{"q":"a b","tag":["x","y&z"]}},
                                       "b":{"payload":1,"other":2}})");
    await_status(event, "PROCESSED");
    const Arrival a = stub.arrivals("/x/7").at(0);
    EXPECT_EQ(a.body, R"({"n":1.50})");
    EXPECT_EQ(a.header("X-Shop"), "eu");
    EXPECT_EQ(a.target, "/x/7?fixed=1&q=a%20b&tag=x&tag=y%26z");
    expect_json(stub.arrivals("/b").at(0).body, R"({"payload":1,"other":2})");
}

TEST_F(Templates, refuse_a_header_that_would_become_two)
{
    stub.on("/a", answer(200));
    StartedRelay relay(config().route("a", stub));
    int number = 0;
    for (const char* value : {R"("x\r\nX-Admin: 1")", R"("x\ny")", R"({})"}) {
        const std::string event =
            emit(std::to_string(++number), "a",
                 fmt::format(R"({{"a":{{"payload":{{}},"headers":{{"X-Note":{}}}}}}})", value));
        await_end(event, "PROCESSED");
        EXPECT_THAT(letter(event, "last_error"), HasSubstr("X-Note")) << value;
    }
    EXPECT_EQ(calls(), "");
}

} // namespace
} // namespace sagabox::testing
