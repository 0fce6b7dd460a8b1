#include "mail/header.hpp"

#include "mail/file_name.hpp"
#include "mail/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::mail {
namespace {

using ::testing::ElementsAre;

std::string repeated(std::string_view text, int times)
{
    std::string out;
    for (int i = 0; i < times; ++i) {
        out += text;
    }
    return out;
}

TEST(Header, plain_text_stays_itself)
{
    EXPECT_THAT(fold("Subject", text_words("Your order 17")),
                ElementsAre("Subject: Your order 17"));
    EXPECT_THAT(fold("Subject", text_words("")), ElementsAre("Subject:"));
}

TEST(Header, lines_end_before_78_characters)
{
    const Lines lines = fold("Subject", text_words(repeated("word ", 60) + "end"));
    EXPECT_GT(lines.size(), 3U);
    std::string joined;
    for (const std::string& line : lines) {
        EXPECT_LE(line.size(), 78U);
        joined += line;
    }
    EXPECT_EQ(joined, "Subject: " + repeated("word ", 60) + "end");
}

TEST(Header, text_that_a_reader_would_change_is_encoded)
{
    for (const std::string& text :
         {std::string("two  blanks"), std::string(" leading"), std::string("trailing "),
          std::string("tab\there"), std::string("=?UTF-8?B?eA==?="), std::string("Müller"),
          repeated("x", 100)}) {
        for (const std::string& word : text_words(text)) {
            EXPECT_TRUE(word.starts_with("=?UTF-8?B?")) << text;
        }
    }
}

TEST(Header, encoded_words_hold_whole_characters_and_fit_beside_a_name)
{
    for (const std::string_view character : {"x", "ä", "語", "😀"}) {
        for (int count = 1; count < 80; ++count) {
            for (const std::string& word : encoded_words(repeated(character, count))) {
                ASSERT_LE(word.size(), 56U);
                // Base64 of whole groups only: each word decodes by itself.
                ASSERT_EQ((word.size() - 12) % 4, 0U);
            }
        }
    }
    EXPECT_EQ(whole_characters("語語", 4), "語");
    EXPECT_EQ(whole_characters("語語", 1), "語") << "one at least";
}

TEST(Header, names_are_quoted_where_they_are_no_atoms)
{
    const std::vector<Address> addresses{
        {"Ann", "ann@x"}, {"O'Neil, Bob \"B\"", "bob@x"}, {"Jörg", "joerg@x"}, {"", "bare@x"}};
    EXPECT_THAT(address_words(addresses),
                ElementsAre("Ann", "<ann@x>,", "\"O'Neil, Bob \\\"B\\\"\"", "<bob@x>,",
                            "=?UTF-8?B?SsO2cmc=?=", "<joerg@x>,", "bare@x"));
}

TEST(FileName, is_plain_where_it_can_be)
{
    EXPECT_THAT(name_lines("order 17.pdf"), ElementsAre(" name=\"order 17.pdf\""));
    EXPECT_THAT(disposition_lines("order 17.pdf"),
                ElementsAre("Content-Disposition: attachment;", " filename=\"order 17.pdf\""));
}

TEST(FileName, beyond_ascii_is_percent_encoded)
{
    EXPECT_THAT(disposition_lines("ä.pdf"),
                ElementsAre("Content-Disposition: attachment;", " filename*=utf-8''%C3%A4.pdf"));
}

TEST(FileName, that_is_long_comes_in_sections_of_whole_characters)
{
    const Lines lines = disposition_lines(repeated("語", 300));
    EXPECT_EQ(lines[1], " filename*0*=utf-8''" + repeated("%E8%AA%9E", 5) + ";");
    EXPECT_EQ(lines[2], " filename*1*=" + repeated("%E8%AA%9E", 5) + ";");
    EXPECT_EQ(lines.size(), 61U);
    for (const std::string& line : lines) {
        EXPECT_LE(line.size(), 78U);
    }
}

} // namespace
} // namespace sagabox::mail
