#include "simulate/samples.hpp"

#include "core/decide_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::simulate {
namespace {

using ::testing::HasSubstr;

Result<Samples> read(std::string_view text)
{
    return read_samples(text, core::plan_of_abc(), "OrderCreated");
}

std::string refusal(std::string_view text)
{
    const Result<Samples> samples = read(text);
    return samples ? "taken" : samples.error().text();
}

TEST(Samples, are_found_by_destination_and_a_routes_own_before_it)
{
    const Samples samples = core::must(
        read(R"({"payloads": {"a": {"n": 1}}, "answers": {"b": {"id": 2}, "b#1": {"id": 3}}})"));
    EXPECT_EQ(json::write(*samples.payload("a")), R"({"n":1})");
    EXPECT_EQ(json::write(*samples.answer("b", 0)), R"({"id":3})");
    EXPECT_EQ(json::write(*samples.answer("b", 1)), R"({"id":2})");
    EXPECT_EQ(samples.answer("c", 0), nullptr);
}

TEST(Samples, are_refused_where_they_would_never_be_used)
{
    EXPECT_THAT(refusal(R"({"answers": {"d": {}}})"), HasSubstr("answers.d"));
    EXPECT_THAT(refusal(R"({"answers": {"b#2": {}}})"), HasSubstr("answers.b#2"));
    EXPECT_THAT(refusal(R"({"answers": {"b#x": {}}})"), HasSubstr("answers.b#x"));
    EXPECT_THAT(refusal(R"({"payloads": {"b#1": {}}})"), HasSubstr("payloads.b#1"));
    EXPECT_THAT(refusal(R"({"answer": {}})"), HasSubstr("answer: only payloads"));
    EXPECT_THAT(refusal("[]"), HasSubstr("JSON object"));
    EXPECT_NE(refusal("{"), "taken");
}

} // namespace
} // namespace sagabox::simulate
