#include "shop/mailbox.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace shop {
namespace {

using testing::ElementsAre;

TEST(Mailbox, reads_what_an_http_provider_is_sent)
{
    const auto mail =
        read_http_mail("first", R"({"from":"s@x","to":[{"email":"a@x","name":""}],"subject":"Hi",)"
                                R"("messageId":"<1@x>","attachments":[{"fileName":"a.pdf"}]})");
    ASSERT_TRUE(mail);
    EXPECT_EQ(mail->provider, "first");
    EXPECT_THAT(mail->to, ElementsAre("a@x"));
    EXPECT_EQ(mail->message_id, "<1@x>");
    EXPECT_EQ(mail->attachments, 1U);
    EXPECT_FALSE(read_http_mail("first", "[]"));
    EXPECT_FALSE(read_http_mail("first", R"({"to":[{"email":"a@x"}]})"));
}

TEST(Mailbox, reads_headers_of_a_message_whatever_their_case_and_folding)
{
    const TakenMail mail = read_smtp_mail(
        "s@x", {"a@x"}, "subject: one\r\n two\r\nMESSAGE-id: <2@x>\r\n\r\nSubject: not this\r\n");
    EXPECT_EQ(mail.subject, "one two");
    EXPECT_EQ(mail.message_id, "<2@x>");
}

TEST(Mailbox, says_how_often_each_message_was_taken_by_whatever_provider)
{
    Mailbox mailbox;
    mailbox.take({"first", "<1@x>", "s@x", {"a@x"}, "Hi", 0});
    mailbox.take({"smtp", "<1@x>", "s@x", {"a@x"}, "Hi", 0});
    mailbox.take({"smtp", "<2@x>", "s@x", {"b@x"}, "Hi", 0});
    const auto all = nlohmann::json::parse(mailbox.read("").text())["messages"];
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0]["messageId"], "<2@x>");
    EXPECT_EQ(all[0]["taken"], 1);
    const auto hers = nlohmann::json::parse(mailbox.read("a@x").text())["messages"];
    ASSERT_EQ(hers.size(), 2U);
    EXPECT_EQ(hers[0]["taken"], 2);
}

} // namespace
} // namespace shop
