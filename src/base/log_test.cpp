#include "base/log.hpp"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sagabox::log {
namespace {

using ::testing::HasSubstr;

TEST(Log, hides_secrets_the_longest_first_and_those_of_an_earlier_call_too)
{
    hide({"b3arer-value", "value"});
    hide({"other-secret", ""});
    ::testing::internal::CaptureStderr();
    info("test", "sent b3arer-value and value, then other-secret");
    const std::string line = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(line, HasSubstr("sent *** and ***, then ***"));
}

TEST(Log, lets_no_value_forge_a_line)
{
    ::testing::internal::CaptureStderr();
    warning("test", "a\nb");
    const std::string line = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(line, HasSubstr("a\\x0ab\n"));
}

std::string line_of(const std::function<void()>& speak)
{
    ::testing::internal::CaptureStderr();
    speak();
    return ::testing::internal::GetCapturedStderr();
}

struct LogFormats : ::testing::Test {
    ~LogFormats() override { configure({}); }
};

TEST_F(LogFormats, begin_a_line_of_text_with_the_time_in_utc_the_level_and_the_part)
{
    const std::string line = line_of([] { warning("gate", "billing is left alone"); });
    EXPECT_THAT(line, ::testing::MatchesRegex(
                          "....-..-..T..:..:..\\....Z warning gate: billing is left alone\n"));
}

TEST_F(LogFormats, make_one_json_object_a_line_with_the_fields_as_they_are)
{
    configure({.format = Format::json, .level = Level::info, .parts = {}});
    const std::string line = line_of([] {
        write(Level::info, "saga", "event 7: \"x\"\nnext",
              {{"event", std::int64_t{7}}, {"aggregate", "o\x01'\xff"}});
    });
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    const nlohmann::json read = nlohmann::json::parse(line);
    EXPECT_EQ(read["level"], "info");
    EXPECT_EQ(read["part"], "saga");
    EXPECT_EQ(read["message"], "event 7: \"x\"\nnext");
    EXPECT_EQ(read["event"], 7);
    EXPECT_EQ(read["aggregate"], "o\x01'\uFFFD");
    EXPECT_TRUE(read["time"].get<std::string>().ends_with("Z"));
}

TEST_F(LogFormats, hide_secrets_in_fields_too)
{
    hide({"s3cret-in-a-field"});
    configure({.format = Format::json, .level = Level::info, .parts = {}});
    const std::string line = line_of([] {
        write(Level::error, "saga", "text", {{"error", "token s3cret-in-a-field"}});
    });
    EXPECT_EQ(nlohmann::json::parse(line)["error"], "token ***");
}

TEST_F(LogFormats, give_a_part_its_own_level)
{
    configure({.format = Format::text,
               .level = Level::warning,
               .parts = {{"saga", Level::debug}, {"http", Level::error}}});
    EXPECT_THAT(line_of([] { debug("saga", "told"); }), HasSubstr("told"));
    EXPECT_EQ(line_of([] { info("relay", "not told"); }), "");
    EXPECT_EQ(line_of([] { warning("http", "not told"); }), "");
    EXPECT_THAT(line_of([] { error("http", "told"); }), HasSubstr("told"));
}

} // namespace
} // namespace sagabox::log
