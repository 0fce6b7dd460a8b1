#include "shop/smtp_session.hpp"

#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace shop {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

class Dialogue : public testing::Test {
protected:
    struct Taken {
        SmtpReceiver::Envelope envelope;
        std::string data;
    };
    std::vector<Taken> taken;
    bool takes = true;
    std::chrono::milliseconds delay{0};
    SmtpReceiver::Taker take = [this](SmtpReceiver::Envelope envelope, std::string_view data) {
        taken.push_back({std::move(envelope), std::string(data)});
        return SmtpReceiver::Answer{.taken = takes, .delay = delay};
    };
    SmtpSession session{take};
};

TEST_F(Dialogue, takes_a_message_with_its_envelope_however_its_bytes_are_cut)
{
    const std::string all =
        "EHLO a\r\nMAIL FROM:<a@x.example> SIZE=3\r\nRCPT TO:<b@x.example>\r\n"
        "RCPT TO:<c@x.example>\r\nDATA\r\nSubject: hi\r\n\r\n..dot\r\n.\r\nQUIT\r\n";
    std::string answers;
    for (const char byte : all) {
        answers += session.received({&byte, 1});
    }
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].envelope.from, "a@x.example");
    EXPECT_THAT(taken[0].envelope.to, ElementsAre("b@x.example", "c@x.example"));
    EXPECT_EQ(taken[0].data, "Subject: hi\r\n\r\n.dot\r\n");
    EXPECT_THAT(answers, EndsWith("250 2.0.0 taken\r\n221 goodbye\r\n"));
    EXPECT_TRUE(session.over());
}

TEST_F(Dialogue, tells_the_client_when_a_message_is_not_taken)
{
    takes = false;
    static_cast<void>(session.received("EHLO a\r\nMAIL FROM:<a@x>\r\nRCPT TO:<b@x>\r\nDATA\r\n"));
    EXPECT_THAT(session.received("x\r\n.\r\n"), StartsWith("451"));
    EXPECT_FALSE(session.over());
}

TEST_F(Dialogue, lets_the_answer_to_a_message_wait_and_no_other)
{
    delay = std::chrono::seconds{3};
    static_cast<void>(session.received("EHLO a\r\nMAIL FROM:<a@x>\r\nRCPT TO:<b@x>\r\nDATA\r\n"));
    EXPECT_EQ(session.take_delay(), std::chrono::seconds{0});
    static_cast<void>(session.received("x\r\n.\r\n"));
    EXPECT_EQ(session.take_delay(), delay);
    static_cast<void>(session.received("NOOP\r\n"));
    EXPECT_EQ(session.take_delay(), std::chrono::seconds{0});
}

TEST_F(Dialogue, wants_sender_and_recipient_before_the_data)
{
    EXPECT_THAT(session.received("DATA\r\n"), StartsWith("503"));
    EXPECT_THAT(session.received("RCPT TO:<b@x>\r\n"), StartsWith("503"));
    EXPECT_THAT(session.received("MAIL FROM:nobody\r\n"), StartsWith("501"));
}

TEST_F(Dialogue, ends_at_a_line_without_an_end)
{
    EXPECT_THAT(session.received(std::string(SmtpSession::longest_line + 1, 'x')),
                StartsWith("500"));
    EXPECT_TRUE(session.over());
}

} // namespace
} // namespace shop
