#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

Envelope read(std::string_view sent)
{
    return envelope_for(test_event("{\"billing\":" + std::string(sent) + "}"), "billing");
}

TEST(Envelope, takes_a_plain_value_for_the_body)
{
    for (const char* body : {R"({"amount":100.10})", R"([1,2])", R"("text")", "7", "false", "null",
                             R"({})", R"({"payload":1,"amount":2})", R"({"headers":{},"query":{}})",
                             R"({"query":{"a":1}})", R"({"Payload":{}})"}) {
        const Envelope envelope = read(body);
        EXPECT_TRUE(envelope.present) << body;
        EXPECT_EQ(envelope.body, json_of(body));
        EXPECT_TRUE(envelope.headers.empty());
        EXPECT_TRUE(envelope.query.empty());
    }
}

TEST(Envelope, takes_apart_what_holds_only_its_own_keys)
{
    const Envelope envelope = read(
        R"({"payload":{"a":1},"pathParams":{"id":7},"headers":{"X-A":"b"},"query":{"q":true}})");
    EXPECT_TRUE(envelope.present);
    EXPECT_EQ(json::write(envelope.body), R"({"a":1})");
    EXPECT_EQ(json::write(envelope.path_params), R"({"id":7})");
    EXPECT_EQ(json::write(envelope.headers), R"({"X-A":"b"})");
    EXPECT_EQ(json::write(envelope.query), R"({"q":true})");
    EXPECT_EQ(envelope.defect, "");
}

TEST(Envelope, needs_payload_or_path_params)
{
    EXPECT_EQ(json::write(read(R"({"pathParams":{"id":7}})").body), "{}");
    EXPECT_EQ(json::write(read(R"({"payload":[1]})").body), "[1]");
    EXPECT_EQ(json::write(read(R"({"payload":null})").body), "null");
}

TEST(Envelope, says_what_is_wrong_with_it)
{
    EXPECT_EQ(read(R"({"payload":{},"headers":["X-A"]})").defect, "headers must be a JSON object");
    EXPECT_EQ(read(R"({"payload":{},"query":"a=1"})").defect, "query must be a JSON object");
    EXPECT_EQ(read(R"({"pathParams":7})").defect, "pathParams must be a JSON object");
    EXPECT_EQ(read(R"({"payload":{},"query":null})").defect, "");
}

TEST(Envelope, is_empty_where_the_payloads_have_nothing)
{
    for (const char* payloads :
         {"{}", R"({"inventory":{"a":1}})", "[]", "\"billing\"", "null", "7"}) {
        const Envelope envelope = envelope_for(test_event(payloads), "billing");
        EXPECT_FALSE(envelope.present) << payloads;
        EXPECT_EQ(json::write(envelope.body), "{}");
    }
}

} // namespace
} // namespace sagabox::core
