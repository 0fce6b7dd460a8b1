#include "sql.hpp"
#include "tests/store/mail_fixture.hpp"

#include <thread>

namespace sagabox::store {
namespace {

class MailResendTest : public MailTest {
protected:
    Resent resend(std::int64_t message)
    {
        return must(resend_mail(*connection, message, Deadline::after(patience)));
    }
    int resend_where(ResendFilter filter)
    {
        return must(resend_mail_where(*connection, std::move(filter), Deadline::after(patience)));
    }
};

TEST_F(MailResendTest, goes_on_in_the_same_run_with_all_attempts_anew_and_closes_the_letter)
{
    const std::int64_t mail = send();
    const std::string message_id = sql.one("select message_id from email_messages");
    fail_mail(mail);
    EXPECT_EQ(mail_status(mail), "FAILED_RETRIES_EXHAUSTED");
    EXPECT_EQ(resend(mail), Resent::again);
    EXPECT_EQ(sql.rows("select status, run, retry_count, moved_to_dlq, last_error, forgiven_up_to, "
                       "next_retry_at <= now() from outbox_events"),
              (std::vector<testing::Sql::Row>{{"PENDING", "1", "0", "f", "", "1", "t"}}));
    EXPECT_EQ(sql.one("select status from dead_letter_events"), "RESOLVED");
    EXPECT_EQ(mail_status(mail), "REQUIRED_RESEND");
    EXPECT_EQ(sql.one("select message_id from email_messages"), message_id);
    EXPECT_EQ(sql.one("select ended_at is null from email_messages"), "t");

    // It may fail anew, and be sent again anew.
    fail_mail(mail);
    EXPECT_EQ(mail_status(mail), "FAILED_RETRIES_EXHAUSTED");
    EXPECT_EQ(resend(mail), Resent::again);
    const std::int64_t event = event_of(mail);
    write(take(event), {try_of(event, core::Outcome::succeeded)}, Finished{});
    EXPECT_EQ(mail_status(mail), "SUCCESS_SENT");
    EXPECT_EQ(sql.one("select count(*) from dead_letter_events where status = 'RESOLVED'"), "2");
}

TEST_F(MailResendTest, wakes_a_relay_that_sleeps)
{
    const std::int64_t mail = send();
    fail_mail(mail);
    const auto listener = open();
    pg::Query listen{sagabox::sql::listen, {}};
    must(listener->run(std::move(listen), Deadline::after(patience)));
    EXPECT_EQ(resend(mail), Resent::again);
    EXPECT_TRUE(must(listener->wait_notification(Deadline::after(patience))).has_value());
}

TEST_F(MailResendTest, leaves_alone_what_has_not_failed)
{
    const std::int64_t mail = send();
    EXPECT_EQ(resend(mail), Resent::not_failed);
    const Lease lease = take(event_of(mail));
    EXPECT_EQ(resend(mail), Resent::not_failed);
    write(lease, {try_of(lease.id, core::Outcome::succeeded)}, Finished{});
    EXPECT_EQ(resend(mail), Resent::not_failed);
    EXPECT_EQ(resend(99), Resent::unknown);
    EXPECT_EQ(sql.one("select email_resend(1)"), "f");
    EXPECT_EQ(sql.one("select email_resend(99)"), "f");
    EXPECT_EQ(status_of(lease.id), "PROCESSED");
}

TEST_F(MailResendTest, lets_exactly_one_of_two_win)
{
    const std::int64_t mail = send();
    fail_mail(mail);
    sql.exec("begin");
    EXPECT_EQ(sql.one("select email_resend(1)"), "t");
    std::string second;
    std::thread rival([&] {
        testing::Sql by(url);
        second = by.one("select email_resend(1)");
    });
    testing::Sql watch(url);
    watch.await("select count(*) from pg_stat_activity where datname = current_database() "
                "and wait_event_type = 'Lock'",
                "1");
    sql.exec("commit");
    rival.join();
    EXPECT_EQ(second, "f");
    EXPECT_EQ(sql.one("select forgiven_up_to from outbox_events"), "1");
}

TEST_F(MailResendTest, refuses_a_mail_inside_a_saga_and_one_whose_event_was_deleted)
{
    emit_saga("order-1");
    fail_mail(1);
    EXPECT_EQ(resend(1), Resent::in_a_saga);
    try {
        sql.exec("select email_resend(1)");
        ADD_FAILURE() << "was not refused";
    } catch (const std::runtime_error& refused) {
        EXPECT_NE(std::string(refused.what()).find("run the event again instead"),
                  std::string::npos)
            << refused.what();
    }
    EXPECT_EQ(status_of(event_of(1)), "PROCESSED");
    EXPECT_EQ(sql.one("select status from dead_letter_events"), "PENDING");

    const std::int64_t mail = send();
    fail_mail(mail);
    sql.exec("delete from outbox_events where email_id = " + std::to_string(mail));
    EXPECT_EQ(resend(mail), Resent::event_gone);
}

TEST_F(MailResendTest, sends_again_what_a_filter_selects_oldest_first)
{
    for (int i = 0; i < 4; ++i) {
        const std::int64_t mail = send(Letter().text("documentType", i < 2 ? "letter" : "invoice"));
        fail_mail(mail);
        sql.exec("update email_messages set received_at = '2026-01-0" + std::to_string(i + 1) +
                 "T00:00Z' where id = " + std::to_string(mail));
    }
    const std::int64_t refused = send();
    const Lease lease = take(event_of(refused));
    GivenUp settled;
    settled.why = "550";
    write(lease, {try_of(lease.id, core::Outcome::rejected, "550")}, settled);
    emit_saga("order-1");
    fail_mail(6);

    ResendFilter filter;
    filter.status = "FAILED_NOT_RETRYABLE";
    filter.document_type = "invoice";
    EXPECT_EQ(resend_where(filter), 0);
    filter.status.clear();
    filter.received_from = "2026-01-03T00:00:00Z";
    filter.received_until = "2026-01-04T00:00:00Z";
    EXPECT_EQ(resend_where(filter), 1);
    EXPECT_EQ(mail_status(3), "REQUIRED_RESEND");
    EXPECT_EQ(mail_status(4), "FAILED_RETRIES_EXHAUSTED");

    ResendFilter any;
    any.limit = 1;
    EXPECT_EQ(resend_where(any), 1);
    EXPECT_EQ(mail_status(1), "REQUIRED_RESEND");
    EXPECT_EQ(mail_status(2), "FAILED_RETRIES_EXHAUSTED");
    any.limit = 100;
    EXPECT_EQ(resend_where(any), 3);
    EXPECT_EQ(mail_status(refused), "REQUIRED_RESEND");
    EXPECT_EQ(mail_status(6), "FAILED_RETRIES_EXHAUSTED") << "belongs to a saga";

    ResendFilter wrong;
    wrong.received_from = "yesterday at tea";
    const auto answer =
        testing::run(context, resend_mail_where(*connection, wrong, Deadline::after(patience)));
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().kind(), Fault::Kind::bad_input);
}

} // namespace
} // namespace sagabox::store
