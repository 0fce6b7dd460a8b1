#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace sagabox {
namespace {

std::string base64(std::string_view bytes)
{
    std::string out = ">";
    append_base64(out, bytes);
    return out.substr(1);
}

TEST(Base64, pads_to_groups_of_four)
{
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

} // namespace
} // namespace sagabox
