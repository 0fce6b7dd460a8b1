#include "mail/compose.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::mail {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Message letter()
{
    Message message;
    message.message_id = "<17@shop.example>";
    message.received_at = DbTime{std::chrono::seconds(1'796'096'950)};
    message.to = {"Ann <ann@x.example>"};
    message.subject = "Order 17";
    message.text = "Thank you.";
    return message;
}

Composed composed(Message message, const std::vector<std::string>& skip = {})
{
    Result<Composed> result = compose(std::move(message), "Shop <shop@shop.example>", skip);
    EXPECT_TRUE(result) << (result ? "" : result.error().text());
    return result ? std::move(*result) : Composed();
}

TEST(Compose, writes_the_headers_of_a_letter)
{
    Message message = letter();
    message.cc = {"cy@x.example"};
    message.reply_to = "help@shop.example";
    message.correlation_id = "c-1";
    message.document_type = "order";
    const Composed ready = composed(std::move(message));
    EXPECT_EQ(ready.sender, "shop@shop.example");
    EXPECT_THAT(ready.headers,
                ElementsAre("Date: Tue, 01 Dec 2026 03:49:10 +0000",
                            "From: Shop <shop@shop.example>", "Reply-To: help@shop.example",
                            "To: Ann <ann@x.example>", "Cc: cy@x.example", "Subject: Order 17",
                            "Message-ID: <17@shop.example>", "X-Correlation-Id: c-1",
                            "X-Document-Type: order", "MIME-Version: 1.0"));
}

TEST(Compose, names_hidden_recipients_in_the_envelope_alone)
{
    Message message = letter();
    message.bcc = {"Eve <eve@x.example>"};
    const Composed ready = composed(std::move(message));
    EXPECT_THAT(ready.recipients, ElementsAre("ann@x.example", "eve@x.example"));
    EXPECT_THAT(ready.headers, Not(Contains(HasSubstr("eve"))));
}

TEST(Compose, leaves_out_who_is_to_be_skipped_and_whoever_was_named_before)
{
    Message message = letter();
    message.cc = {"ANN@x.example", "bob@x.example"};
    message.bcc = {"cy@münchen.example"};
    EXPECT_THAT(composed(message).recipients,
                ElementsAre("ann@x.example", "bob@x.example", "cy@xn--mnchen-3ya.example"));
    const Composed ready = composed(message, {"bob@x.example", "Cy@xn--mnchen-3ya.example"});
    EXPECT_THAT(ready.recipients, ElementsAre("ann@x.example"));
    EXPECT_THAT(ready.headers, Contains("Cc: ANN@x.example, bob@x.example"));
}

TEST(Compose, chooses_the_structure_by_what_there_is)
{
    Message message = letter();
    EXPECT_EQ(composed(message).body.content_type, "text/plain; charset=utf-8");
    message.html = "<p>Thank you.</p>";
    EXPECT_EQ(composed(message).body.content_type, "multipart/alternative");
    message.text.clear();
    EXPECT_EQ(composed(message).body.content_type, "text/html; charset=utf-8");
    message.text = "Thank you.";
    message.attachments = {{"a.pdf", "application/pdf", "%PDF"}};
    const MimePart mixed = composed(message).body;
    EXPECT_EQ(mixed.content_type, "multipart/mixed");
    ASSERT_EQ(mixed.parts.size(), 2U);
    EXPECT_EQ(mixed.parts[0].content_type, "multipart/alternative");
    EXPECT_EQ(mixed.parts[1].content_type, "application/pdf;");
}

TEST(Compose, has_no_attachment_read_as_more_than_its_bytes)
{
    for (const char* type : {"multipart/mixed", "Message/RFC822", "pdf", "", "a/", "text/x;"}) {
        Message message = letter();
        message.attachments = {{"a", type, "x"}};
        EXPECT_EQ(composed(std::move(message)).body.parts[1].content_type,
                  "application/octet-stream;")
            << type;
    }
}

TEST(Compose, lets_no_line_break_pass)
{
    const auto refuse = [](auto change) {
        for (const std::string& end :
             {std::string("\r"), std::string("\n"), std::string("\0", 1)}) {
            Message message = letter();
            change(message, "evil" + end + "X: 1");
            const Result<Composed> result = compose(std::move(message), "shop@x.example", {});
            ASSERT_FALSE(result);
            EXPECT_EQ(result.error().text().find("evil"), std::string::npos);
        }
    };
    refuse([](Message& m, std::string evil) { m.subject = evil; });
    refuse([](Message& m, std::string evil) { m.to = {evil}; });
    refuse([](Message& m, std::string evil) { m.cc = {evil}; });
    refuse([](Message& m, std::string evil) { m.bcc = {evil}; });
    refuse([](Message& m, std::string evil) { m.reply_to = evil; });
    refuse([](Message& m, std::string evil) { m.message_id = evil; });
    refuse([](Message& m, std::string evil) { m.correlation_id = evil; });
    refuse([](Message& m, std::string evil) { m.document_type = evil; });
    refuse([](Message& m, std::string evil) { m.attachments = {{evil, "a/b", ""}}; });
    refuse([](Message& m, std::string evil) { m.attachments = {{"a", evil, ""}}; });
    EXPECT_FALSE(compose(letter(), "shop@x.example\r\nX: 1", {}));
}

TEST(Compose, gives_the_same_lines_at_each_try)
{
    Message message = letter();
    message.attachments = {{"ä.bin", "application/octet-stream", "x"}};
    const Composed one = composed(message);
    const Composed other = composed(message);
    EXPECT_EQ(one.headers, other.headers);
    EXPECT_EQ(one.body.parts[1].headers, other.body.parts[1].headers);
}

} // namespace
} // namespace sagabox::mail
