#include "sagabox/payloads.hpp"

#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

namespace sagabox::client {
namespace {

TEST(Json, keeps_the_digits_of_a_number)
{
    for (const char* digits :
         {"100.10", "-0", "0.0", "123456789012345678901234567890", "1e400", "1E-7", "-12.5e+3"}) {
        EXPECT_EQ(Json::number(digits).text(), digits);
    }
    EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).text(), "-9223372036854775808");
    EXPECT_FALSE((std::is_constructible_v<Json, double>));
    EXPECT_FALSE((std::is_constructible_v<Json, float>));
}

TEST(Json, refuses_a_number_that_is_none)
{
    for (const char* bad : {"", "-", "01", "+1", "1.", ".5", "1e", "1 ", " 1", "NaN", "Infinity",
                            "0x10", "1,2", "1}", "\"1\""}) {
        EXPECT_THROW((void)Json::number(bad), std::invalid_argument) << bad;
    }
}

TEST(Json, escapes_text)
{
    EXPECT_EQ(Json("a\"b\\c\n\r\t\x01 \x7f к").text(), "\"a\\\"b\\\\c\\n\\r\\t\\u0001 \x7f к\"");
    EXPECT_EQ(Json("\\u0000").text(), R"("\\u0000")");
    EXPECT_THROW(Json(std::string_view("a\0b", 3)), std::invalid_argument);
}

TEST(Json, takes_a_bool_for_a_bool_and_a_pointer_to_text_for_text)
{
    EXPECT_EQ(Json(true).text(), "true");
    EXPECT_EQ(Json(nullptr).text(), "null");
    EXPECT_EQ(Json("true").text(), "\"true\"");
}

TEST(Json, builds_objects_and_arrays)
{
    EXPECT_EQ(
        Json::object({{"id", 7}, {"tags", Json::array({"a", 1, nullptr})}, {"o", Json::object({})}})
            .text(),
        R"({"id":7,"tags":["a",1,null],"o":{}})");
    EXPECT_EQ(Json::object({{"a\"b", 1}}).text(), R"({"a\"b":1})");
}

TEST(Json, takes_a_whole_document_byte_for_byte_and_nothing_else)
{
    const std::string good = " { \"a\" : [ 1.10 , \"\\u00e9\\n\" , true , null , { } , [ ] ] } ";
    EXPECT_EQ(Json::parsed(good).text(), good);
    for (const char* bad :
         {"", "{", "1, \"x\": 2", "{} {}", "{\"a\"}", "{\"a\":1,}", "[1,]", "[1 2]", "\"\n\"",
          "\"\\x\"", "\"\\u12\"", "tru", "{a:1}", "nullx", "\"a"}) {
        EXPECT_THROW((void)Json::parsed(bad), std::invalid_argument) << bad;
    }
    EXPECT_THROW((void)Json::parsed(std::string(100'000, '[')), std::invalid_argument);
}

TEST(Payloads, are_an_object_of_destinations)
{
    EXPECT_EQ(Payloads().json(), "{}");
    const Payloads payloads =
        Payloads().to("inventory", Json::object({{"orderId", 7}})).to("x\"y", Json::number("1.10"));
    EXPECT_EQ(payloads.json(), R"({"inventory":{"orderId":7},"x\"y":1.10})");
}

TEST(Payloads, wrap_a_body_that_would_be_taken_for_an_envelope)
{
    EXPECT_EQ(Payloads().to("d", Json::object({{"payload", 1}})).json(),
              R"({"d":{"payload":{"payload":1}}})");
    EXPECT_EQ(Payloads().to("d", Json::parsed(R"({"p\u0061yload":1})")).json(),
              R"({"d":{"payload":{"p\u0061yload":1}}})");
    EXPECT_EQ(Payloads().to("d", Json::object({{"payload", 1}, {"id", 2}})).json(),
              R"({"d":{"payload":1,"id":2}})");
}

TEST(Payloads, hold_envelopes)
{
    EXPECT_EQ(Payloads()
                  .envelope("billing", {.payload = Json::object({{"amount", Json::number("9.90")}}),
                                        .path_params = {{"id", 7}},
                                        .headers = {{"X-A", "b\"c"}},
                                        .query = {{"q", "1"}}})
                  .json(),
              R"({"billing":{"payload":{"amount":9.90},"pathParams":{"id":7},)"
              R"("headers":{"X-A":"b\"c"},"query":{"q":"1"}}})");
}

TEST(Payloads, keep_an_envelope_an_envelope_when_it_has_only_headers)
{
    EXPECT_EQ(Payloads().envelope("d", {.headers = {{"X-A", "b"}}}).json(),
              R"({"d":{"payload":{},"headers":{"X-A":"b"}}})");
}

} // namespace
} // namespace sagabox::client
