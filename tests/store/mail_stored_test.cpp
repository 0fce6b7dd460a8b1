#include "tests/store/mail_fixture.hpp"

#include <optional>

namespace sagabox::store {
namespace {

using namespace std::chrono_literals;

/// What sending reads, what breakers write, and what retention deletes.
class MailStoredTest : public MailTest {
protected:
    int purge(std::chrono::milliseconds retention,
              std::optional<std::chrono::milliseconds> failed = {}, int limit = 100)
    {
        return must(purge_mail(*connection, retention, failed, limit, Deadline::after(patience)));
    }
    std::int64_t sent()
    {
        const std::int64_t mail = send(Letter().attach("a", "text/plain", "x"));
        const std::int64_t event = event_of(mail);
        write(take(event), {try_of(event, core::Outcome::succeeded)}, Finished{});
        return mail;
    }
    bool probe()
    {
        return must(claim_probe(*connection, "primary", 1h, Deadline::after(patience)));
    }
    void open_it(std::chrono::milliseconds open_for)
    {
        must(open_breaker(*connection, "primary", 5, "connection refused", open_for,
                          Deadline::after(patience)));
    }
    void close_it() { must(close_breaker(*connection, "primary", Deadline::after(patience))); }
    std::string provider_state()
    {
        std::string state;
        for (const MailProviderState& one :
             must(list_mail_providers(*connection, Deadline::after(patience)))) {
            state += one.name + " " + one.state + " " + std::to_string(one.failures);
        }
        return state;
    }
};

TEST_F(MailStoredTest, is_loaded_as_it_was_accepted)
{
    Letter letter;
    letter.set("to", R"(["\"B, C\" <bob@x.example>", "zoë@müller.example"])");
    letter.text("cc", "cc@x.example")
        .text("bcc", "bcc@x.example")
        .text("subject", "Größe \"L\" \\ 💌");
    letter.text("replyTo", "desk@x.example").text("html", "<p>\r\n.</p>").text("text", "a\n.\nb");
    letter.text("correlationId", "c-1").text("idempotencyKey", "k-1");
    letter.attach("b.csv", "text/csv", "a;b").attach("a.pdf", "application/pdf", "%PDF-1.4");
    const std::int64_t id = send(letter);
    const auto mail = must(load_mail(*connection, id, Deadline::after(patience)));
    ASSERT_TRUE(mail.has_value());
    EXPECT_EQ(mail->to,
              (std::vector<std::string>{"\"B, C\" <bob@x.example>", "zoë@müller.example"}));
    EXPECT_EQ(mail->cc, std::vector<std::string>{"cc@x.example"});
    EXPECT_EQ(mail->bcc, std::vector<std::string>{"bcc@x.example"});
    EXPECT_EQ(mail->subject, "Größe \"L\" \\ 💌");
    EXPECT_EQ(mail->reply_to, "desk@x.example");
    EXPECT_EQ(mail->text, "a\n.\nb");
    EXPECT_EQ(mail->html, "<p>\r\n.</p>");
    EXPECT_EQ(mail->correlation_id, "c-1");
    EXPECT_EQ(mail->idempotency_key, "k-1");
    EXPECT_EQ(mail->document_type, "letter");
    EXPECT_EQ(mail->message_id, sql.one("select message_id from email_messages"));
    EXPECT_GT(mail->received_at, DbTime{});
    ASSERT_EQ(mail->attachments.size(), 2U);
    EXPECT_EQ(mail->attachments[0].file_name, "b.csv");
    EXPECT_EQ(mail->attachments[1].content_type, "application/pdf");
    EXPECT_EQ(mail->attachments[1].bytes, 8);
    EXPECT_FALSE(must(load_mail(*connection, 99, Deadline::after(patience))).has_value());
}

TEST_F(MailStoredTest, gives_back_each_byte_of_an_attachment_also_of_a_large_one)
{
    MailRules wide = rules();
    wide.attachment_types = {"application/octet-stream"};
    wide.max_attachment_bytes = wide.max_total_bytes = 10'000'000;
    publish(wide);
    for (const std::size_t size : {0U, 256U, 1U << 20U, (2U << 20U) + 77U}) {
        std::string bytes;
        for (std::size_t i = 0; i < size; ++i) {
            bytes += static_cast<char>(i * 7 % 256);
        }
        const std::int64_t id = send(Letter().attach("x", "application/octet-stream", bytes));
        const auto mail = must(load_mail(*connection, id, Deadline::after(patience)));
        const std::string back = must(
            load_attachment(*connection, mail->attachments.at(0).id, Deadline::after(patience)));
        EXPECT_TRUE(back == bytes) << size;
    }
    const auto gone =
        testing::run(context, load_attachment(*connection, 99, Deadline::after(patience)));
    ASSERT_FALSE(gone.has_value());
    EXPECT_EQ(gone.error().kind(), Fault::Kind::bad_input);
}

TEST_F(MailStoredTest,
       leaves_out_a_provider_whose_breaker_is_open_and_gives_one_probe_when_its_time_is_over)
{
    const std::int64_t id = send();
    EXPECT_TRUE(probe()) << "nothing is open";
    EXPECT_EQ(provider_state(), "");
    open_it(1h);
    EXPECT_FALSE(probe());
    EXPECT_EQ(provider_state(), "primary open 5");
    auto mail = must(load_mail(*connection, id, Deadline::after(patience)));
    ASSERT_EQ(mail->left_out.size(), 1U);
    EXPECT_EQ(mail->left_out[0].first, "primary");

    open_it(0ms);
    EXPECT_EQ(provider_state(), "primary half_open 5");
    mail = must(load_mail(*connection, id, Deadline::after(patience)));
    EXPECT_EQ(mail->left_out.size(), 1U);
    EXPECT_TRUE(probe());
    EXPECT_FALSE(probe());
    EXPECT_EQ(provider_state(), "primary open 5");

    close_it();
    EXPECT_EQ(provider_state(), "primary closed 0");
    EXPECT_TRUE(must(load_mail(*connection, id, Deadline::after(patience)))->left_out.empty());
    EXPECT_TRUE(probe());
}

TEST_F(MailStoredTest, is_deleted_by_age_since_its_end_in_small_batches)
{
    for (int i = 0; i < 3; ++i) {
        sent();
    }
    // Old at intake, and ended only now.
    sql.exec("update email_messages set received_at = now() - interval '30 days'");
    EXPECT_EQ(purge(1h), 0);
    sql.exec("update email_messages set ended_at = ended_at - interval '2 hours' where id < 3");
    EXPECT_EQ(purge(1h, {}, 1), 1);
    EXPECT_EQ(purge(1h, {}, 1), 1);
    EXPECT_EQ(purge(1h, {}, 1), 0);
    for (const char* table : {"email_messages", "email_attachments", "email_recipients"}) {
        EXPECT_EQ(count(table), "1") << table;
    }
    EXPECT_EQ(sql.one("select sum(messages) from email_counts"), "1");
}

TEST_F(MailStoredTest, stays_when_it_failed_until_somebody_says_how_long)
{
    const std::int64_t failed = send();
    fail_mail(failed);
    const std::int64_t waiting = send();
    sql.exec("update email_messages set ended_at = ended_at - interval '2 hours'");
    EXPECT_EQ(purge(1ms), 0);
    EXPECT_EQ(purge(1ms, 3h), 0);
    EXPECT_EQ(purge(1ms, 1h), 1);
    EXPECT_EQ(sql.one("select id from email_messages"), std::to_string(waiting));
}

TEST_F(MailStoredTest, is_never_deleted_while_its_event_goes_on)
{
    const std::int64_t event = emit_saga("order-1");
    const Lease lease = take(event);
    write(lease, {try_of(event, core::Outcome::succeeded)});
    sql.exec("update email_messages set ended_at = ended_at - interval '2 hours'");
    EXPECT_EQ(purge(1h), 0);
    write(lease, {row_of(event, "a")}, Finished{});
    EXPECT_EQ(purge(1h), 1);
}

TEST_F(MailStoredTest, has_its_counts_folded_by_the_purge_once_many_have_gathered)
{
    sent();
    EXPECT_EQ(purge(1h), 0);
    EXPECT_GT(std::stoi(count("email_counts")), 1);
    sql.exec("insert into email_counts select 'SUCCESS_SENT', i % 2 * 2 - 1 "
             "from generate_series(1, 1000) i");
    EXPECT_EQ(purge(1h), 0);
    EXPECT_EQ(sql.rows("select status, messages from email_counts"),
              (std::vector<testing::Sql::Row>{{"SUCCESS_SENT", "1"}}));
}

} // namespace
} // namespace sagabox::store
