#include "transport/smtp_reply.hpp"

#include <gtest/gtest.h>

namespace sagabox::transport {
namespace {

using Taken = SmtpReplyReader::Taken;

TEST(SmtpReply, of_one_line_has_a_code_and_a_text)
{
    SmtpReplyReader reader;
    EXPECT_EQ(reader.take("550 5.1.1 no such user\r\n"), Taken::whole);
    EXPECT_EQ(reader.reply().code, 550);
    EXPECT_EQ(reader.reply().text, "5.1.1 no such user");
}

TEST(SmtpReply, may_lack_a_text)
{
    SmtpReplyReader reader;
    EXPECT_EQ(reader.take("250\r\n"), Taken::whole);
    EXPECT_EQ(reader.reply().code, 250);
    EXPECT_EQ(reader.reply().text, "");
}

TEST(SmtpReply, of_several_lines_has_their_texts_joined)
{
    SmtpReplyReader reader;
    EXPECT_EQ(reader.take("451-4.7.1 Greylisted,\r\n"), Taken::more);
    EXPECT_EQ(reader.reply().code, 0) << "not before its last line";
    EXPECT_EQ(reader.take("451 come back later\r\n"), Taken::whole);
    EXPECT_EQ(reader.reply().text, "4.7.1 Greylisted, come back later");
}

TEST(SmtpReply, is_not_mixed_with_the_next_one)
{
    SmtpReplyReader reader;
    EXPECT_EQ(reader.take("250 one"), Taken::whole);
    EXPECT_EQ(reader.take("354 two"), Taken::whole);
    EXPECT_EQ(reader.reply().text, "two");
}

TEST(SmtpReply, is_no_other_line)
{
    for (const char* line : {"", "hello", "25 x", "2500 x", "HTTP/1.1 400 Bad Request", "050 x"}) {
        SmtpReplyReader reader;
        EXPECT_EQ(reader.take(line), Taken::garbage) << line;
    }
}

TEST(SmtpReply, of_endless_lines_does_not_grow)
{
    SmtpReplyReader reader;
    const std::string line = "250-" + std::string(1000, 'x');
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(reader.take(line), Taken::more);
    }
    EXPECT_EQ(reader.take("250 end"), Taken::whole);
    EXPECT_LT(reader.reply().text.size(), 5000U);
}

TEST(SmtpOffers, are_read_whatever_their_case)
{
    SmtpOffers offers;
    offers.take("250-mail.example greets you\r\n");
    EXPECT_FALSE(offers.size);
    offers.take("250-size 1000\r\n");
    offers.take("250 SMTPUTF8\r\n");
    EXPECT_TRUE(offers.size);
    EXPECT_TRUE(offers.utf8);
}

} // namespace
} // namespace sagabox::transport
