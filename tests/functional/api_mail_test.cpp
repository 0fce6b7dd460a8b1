#include "tests/functional/api_fixture.hpp"

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Mail by one provider that speaks HTTP: the stub.
class ApiMail : public ApiRelayTest {
protected:
    [[nodiscard]] Config mail_config() const
    {
        Config text = config();
        text.with("email { from = \"Shop <shop@shop.example>\", documentTypes = [letter]");
        text.with("attachmentTypes = [\"text/plain\"], maxRetries = 0");
        text.with("providers = [{ name = primary, http { url = \"" +
                  stub.url("/mail?key=s3cret-key") +
                  "\", body = \"\"\"{\"to\": {to}, \"subject\": {subject}}\"\"\" } }] }");
        return text;
    }

    /// The rules of intake stand in the database before the relay starts.
    std::unique_ptr<StartedRelay> start() const
    {
        RelayProcess program(mail_config(), "migrate");
        EXPECT_EQ(program.wait_exit(patience), 0) << program.log();
        return std::make_unique<StartedRelay>(mail_config());
    }

    static constexpr const char* letter_text =
        R"({"to": ["ann@x.example"], "subject": "Hello", "text": "It is on its way.", )"
        R"("documentType": "letter", "idempotencyKey": "order-7", )"
        R"("attachments": [{"fileName": "a.txt", "contentType": "text/plain", "content": "aGVsbG8="}]})";
};

TEST_F(ApiMail, takes_a_message_in_once_and_tells_what_became_of_it)
{
    stub.on("/mail", answer(200));
    const auto relay = start();
    const std::uint16_t port = port_of(*relay);
    const HttpAnswer taken = post(port, "/api/emails", letter_text);
    ASSERT_EQ(taken.status, 202) << taken.body;
    const std::string id = taken.at("id");
    EXPECT_EQ(taken.at("repeated"), "false");
    EXPECT_FALSE(taken.at("correlationId").empty());
    sql->await("select status from email_status where id = " + id, "SUCCESS_SENT");

    const HttpAnswer again = post(port, "/api/emails", letter_text);
    EXPECT_EQ(again.status, 202) << again.body;
    EXPECT_EQ(again.at("id"), id);
    EXPECT_EQ(again.at("repeated"), "true");
    EXPECT_EQ(again.at("correlationId"), taken.at("correlationId"));

    const HttpAnswer shown = get(port, "/api/emails/" + id);
    EXPECT_EQ(shown.at("status"), "SUCCESS_SENT");
    EXPECT_EQ(shown.at("provider"), "primary");
    EXPECT_THAT(shown.at("attachments"), HasSubstr("\"fileName\":\"a.txt\""));
    EXPECT_THAT(shown.body, Not(HasSubstr("aGVsbG8=")));
    EXPECT_THAT(shown.body, Not(HasSubstr("s3cret-key")));
    EXPECT_THAT(shown.at("tries"), HasSubstr("\"outcome\":\"succeeded\""));
    EXPECT_EQ(items_in(get(port, "/api/emails?status=SUCCESS_SENT&recipient=ann@x.example")), 1U);
    EXPECT_EQ(items_in(get(port, "/api/emails?documentType=other")), 0U);
    EXPECT_EQ(get(port, "/api/emails/999").status, 404);
    EXPECT_EQ(post(port, "/api/emails/" + id + "/resend").status, 409);
    const HttpAnswer stats = get(port, "/api/emails/stats");
    EXPECT_EQ(stats.at("configured"), "true");
    EXPECT_THAT(stats.at("messages"), HasSubstr("\"SUCCESS_SENT\":1"));
    EXPECT_THAT(stats.at("providers"), HasSubstr("\"state\":\"closed\""));
}

TEST_F(ApiMail, refuses_with_one_entry_for_each_fault_and_stores_nothing)
{
    const auto relay = start();
    const std::uint16_t port = port_of(*relay);
    const HttpAnswer refused = post(
        port, "/api/emails",
        R"({"to": ["no address"], "subject": "a\r\nBcc: x@y.example", "text": "x", "documentType": "other"})");
    EXPECT_EQ(refused.status, 422) << refused.body;
    for (const char* field : {"\"to[0]\"", "\"subject\"", "\"documentType\""}) {
        EXPECT_THAT(refused.at("errors"), HasSubstr(field));
    }
    EXPECT_EQ(post(port, "/api/emails", "{\"to\":").status, 400);
    EXPECT_EQ(post(port, "/api/emails", "[]").status, 422);
    EXPECT_EQ(post(port, "/api/emails", "null").status, 422);
    EXPECT_EQ(sql->one("select count(*) from email_messages"), "0");
}

TEST_F(ApiMail, takes_a_larger_body_for_a_message_than_for_anything_else)
{
    const auto relay = start();
    const std::uint16_t port = port_of(*relay);
    const std::string large(std::size_t{3} << 20, ' ');
    EXPECT_EQ(post(port, "/api/emails", large + "{}").status, 422);
    EXPECT_EQ(post(port, "/api/emails/resend", large + "{}").status, 413);
}

TEST_F(ApiMail, sends_again_what_failed)
{
    stub.on("/mail", answer(400)).then(answer(200));
    const auto relay = start();
    const std::uint16_t port = port_of(*relay);
    const std::string id = post(port, "/api/emails", letter_text).at("id");
    sql->await("select status from email_status where id = " + id, "FAILED_NOT_RETRYABLE");
    EXPECT_EQ(post(port, "/api/emails/" + id + "/resend").status, 202);
    sql->await("select status from email_status where id = " + id, "SUCCESS_SENT");
    EXPECT_EQ(arrivals("/mail"), 2U);
    const HttpAnswer none = post(port, "/api/emails/resend", R"({"documentType": "letter"})");
    EXPECT_EQ(none.status, 202);
    EXPECT_EQ(none.at("resent"), "0");
    EXPECT_EQ(post(port, "/api/emails/999/resend").status, 404);
}

} // namespace
} // namespace sagabox::testing
