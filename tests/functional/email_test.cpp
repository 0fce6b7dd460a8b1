// Mail as it ships: the real program, real SMTP and HTTP servers, messages put in by an
// application.
#include "tests/functional/email_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Json = nlohmann::json;

TEST_F(EmailTest, is_sent_and_read_back_as_it_was_written)
{
    const SmtpServer server;
    const Config wanted = mail_config({smtp("main", server.port())});
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string id =
        write("Zoë <zoe@x.example>", "Grüße, 你好",
              R"({"bcc": ["hidden@x.example"], "attachments": [{"fileName": "счёт.pdf",
            "contentType": "application/pdf", "content": "JVBERi0xLjQK"}]})");
    await_mail(id, "SUCCESS_SENT");
    const Json message = server.message();
    EXPECT_EQ(message.at("subject"), "Grüße, 你好");
    EXPECT_EQ(message.at("message_id"),
              sql->one("select message_id from email_messages where id = $1", {id}));
    EXPECT_THAT(message.dump(), HasSubstr("счёт.pdf"));
    EXPECT_EQ(tries_of(id), "main succeeded");
}

TEST_F(EmailTest, rolled_back_with_its_transaction_is_never_sent)
{
    const SmtpServer server;
    const Config wanted = mail_config({smtp("main", server.port())});
    publish(wanted);
    const StartedRelay relay(wanted);
    sql->exec("begin; select outbox_emit_email('{\"to\": [\"a@x.example\"], \"subject\": \"no\", "
              "\"text\": \"no\", \"documentType\": \"letter\"}'); rollback");
    await_mail(write("b@x.example", "yes"), "SUCCESS_SENT");
    ASSERT_TRUE(server.wait_for("message", 1));
    EXPECT_EQ(server.count("message"), 1U);
    EXPECT_EQ(server.message().at("subject"), "yes");
}

TEST_F(EmailTest, goes_to_the_next_provider_within_the_same_attempt)
{
    const SmtpServer second;
    stub.on("/first", Reply{.status = 503});
    const Config wanted = mail_config({http("first"), smtp("second", second.port())});
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string id = write("a@x.example");
    await_mail(id, "SUCCESS_SENT");
    EXPECT_EQ(tries_of(id), "first failed, second succeeded");
    EXPECT_EQ(sql->one("select attempts from email_status where id = $1", {id}), "1");
}

TEST_F(EmailTest, of_unknown_outcome_stays_with_its_provider_under_the_same_message_id)
{
    const SmtpServer second;
    stub.on("/first", Reply{.manner = Reply::Manner::close})
        .then(Reply{.status = 503})
        .then(Reply{.status = 200});
    const Config wanted = mail_config({http("first"), smtp("second", second.port())});
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string id = write("a@x.example");
    await_mail(id, "SUCCESS_SENT");
    EXPECT_EQ(tries_of(id), "first unknown, first failed, first succeeded");
    EXPECT_EQ(second.count("message"), 0U);
    const auto arrivals = stub.arrivals("/first");
    ASSERT_THAT(arrivals, SizeIs(3));
    for (const Arrival& arrival : arrivals) {
        EXPECT_EQ(Json::parse(arrival.body).at("id"), Json::parse(arrivals[0].body).at("id"));
        EXPECT_EQ(arrival.header("Idempotency-Key"), arrivals[0].header("Idempotency-Key"));
    }
}

TEST_F(EmailTest, is_tried_again_only_for_those_who_have_not_got_it)
{
    const SmtpServer server(
        Json{{"replies", {{"rcpt", {{"late@x.example", {"451 4.7.1 later", "yes"}}}}}}});
    const Config wanted = mail_config({smtp("main", server.port())});
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string id = write("now@x.example", "Hello", R"({"cc": ["late@x.example"]})");
    await_mail(id, "SUCCESS_SENT");
    EXPECT_EQ(tries_of(id), "main failed, main succeeded");
    ASSERT_TRUE(server.wait_for("message", 2));
    EXPECT_EQ(server.count("message"), 2U);
    EXPECT_EQ(server.message(0).at("envelope").at("to"), Json::array({"now@x.example"}));
    EXPECT_EQ(server.message(1).at("envelope").at("to"), Json::array({"late@x.example"}));
}

TEST_F(EmailTest, refused_for_good_fails_with_a_reason_and_can_be_sent_again_by_a_person)
{
    SmtpServer server(
        Json{{"replies", {{"rcpt", {{"gone@x.example", "550 5.1.1 no such user"}}}}}});
    const Config wanted = mail_config({smtp("main", server.port())});
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string id = write("gone@x.example");
    await_mail(id, "FAILED_NOT_RETRYABLE");
    EXPECT_THAT(sql->one("select last_error from email_status where id = $1", {id}),
                HasSubstr("550"));
    server.change(Json::object());
    EXPECT_EQ(sql->one("select email_resend($1)", {id}), "t");
    await_mail(id, "SUCCESS_SENT");
    EXPECT_EQ(server.message().at("message_id"),
              sql->one("select message_id from email_messages where id = $1", {id}));
}

TEST_F(EmailTest, that_no_provider_takes_fails_when_its_retries_are_used_up)
{
    stub.on("/first", Reply{.status = 503});
    const Config wanted = mail_config({http("first")}, "maxRetries = 2, breaker.failures = 100");
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string id = write("a@x.example");
    await_mail(id, "FAILED_RETRIES_EXHAUSTED");
    EXPECT_THAT(stub.arrivals("/first"), SizeIs(3));
    EXPECT_EQ(sql->one("select attempts from email_status where id = $1", {id}), "3");
}

TEST_F(EmailTest, passes_over_a_provider_whose_breaker_is_open_and_probes_it_once)
{
    const SmtpServer second;
    stub.on("/first", Reply{.status = 503});
    const Config wanted = mail_config({http("first"), smtp("second", second.port())},
                                      "breaker { failures = 3, openFor = 2 seconds }");
    publish(wanted);
    const StartedRelay relay(wanted);
    for (int i = 0; i < 3; ++i) {
        await_mail(write("a@x.example"), "SUCCESS_SENT");
    }
    sql->await("select count(*) from email_providers where name = 'first' and open_until > now()",
               "1");
    const std::size_t before = stub.arrivals("/first").size();
    for (int i = 0; i < 5; ++i) {
        const std::string id = write("b@x.example");
        await_mail(id, "SUCCESS_SENT");
        EXPECT_EQ(tries_of(id), "second succeeded");
    }
    EXPECT_EQ(stub.arrivals("/first").size(), before);
    stub.on("/first", Reply{.status = 200});
    sql->await("select count(*) from email_providers where name = 'first' and open_until > now()",
               "0");
    const std::string probe = write("c@x.example");
    await_mail(probe, "SUCCESS_SENT");
    EXPECT_EQ(tries_of(probe), "first succeeded");
    EXPECT_EQ(stub.arrivals("/first").size(), before + 1);
}

TEST_F(EmailTest, stands_in_a_fan_out_like_any_destination)
{
    const SmtpServer server(Json{{"replies", {{"dot", "554 5.7.1 no"}}}});
    stub.on("/stock", Reply{});
    stub.on("/stock/undo", Reply{});
    Config wanted = mail_config({smtp("main", server.port())});
    wanted.route("stock", stub, Config::Revert::always);
    wanted.fanout("Ordered", {"stock", "email"});
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string event =
        emit("7", "Ordered",
             R"({"stock": {}, "email": {"to": ["a@x.example"], "subject": "Thanks", "text": "t",
                 "documentType": "letter"}})");
    await_letter(event, "PROCESSED");
    EXPECT_THAT(stub.arrivals("/stock/undo"), SizeIs(1));
    EXPECT_EQ(sql->one("select status from email_status where event_id = $1", {event}),
              "FAILED_NOT_RETRYABLE");
}

TEST_F(EmailTest, is_cancelled_while_it_waits)
{
    stub.on("/first", Reply{.status = 503});
    const Config wanted =
        mail_config({http("first")}, "backoff { base = 20 seconds, max = 1 minute }");
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string id = write("a@x.example");
    await_mail(id, "REQUIRED_RESEND");
    sql->exec("select outbox_emit('email:" + id + "', '!email', '{}')");
    await_mail(id, "FAILED_NOT_RETRYABLE");
    EXPECT_THAT(sql->one("select last_error from email_status where id = $1", {id}),
                HasSubstr("cancelled"));
}

TEST_F(EmailTest, is_deleted_with_its_attachments_once_it_was_kept_long_enough)
{
    const SmtpServer server;
    const Config wanted = mail_config({smtp("main", server.port())}, "retention = 1 second");
    publish(wanted);
    const StartedRelay relay(wanted);
    const std::string id = write("a@x.example", "Hello",
                                 R"({"attachments": [{"fileName": "a.txt",
                                     "contentType": "text/plain", "content": "YQ=="}]})");
    static_cast<void>(server.message());
    sql->await("select count(*) from email_messages where id = " + id, "0");
    EXPECT_EQ(sql->one("select count(*) from email_attachments"), "0");
    EXPECT_EQ(sql->one("select count(*) from outbox_events"), "1")
        << "events have their own retention";
}

} // namespace
} // namespace sagabox::testing
