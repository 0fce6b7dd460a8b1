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

TEST(Base64, is_decoded_only_in_the_form_that_an_encoder_writes)
{
    EXPECT_EQ(decode_base64(""), "");
    EXPECT_EQ(decode_base64("Zg=="), "f");
    EXPECT_EQ(decode_base64("Zm9vYmFy"), "foobar");
    EXPECT_EQ(decode_base64("//79"), "\xff\xfe\xfd");
    EXPECT_EQ(decode_base64("AAAA"), std::string(3, '\0'));
    for (const char* wrong : {"Zg", "Zg=", "Zh==", "Zg===", "Z", "Zm9v\n", " Zm9v", "Zm9v=", "-_79",
                              "Zg==Zg==", "===="}) {
        EXPECT_EQ(decode_base64(wrong), std::nullopt) << wrong;
    }
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
