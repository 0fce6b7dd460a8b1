#include "base/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

} // namespace
} // namespace sagabox::log
