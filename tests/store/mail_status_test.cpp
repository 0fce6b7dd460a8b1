#include "tests/store/mail_fixture.hpp"

#include <atomic>
#include <thread>

namespace sagabox::store {
namespace {

using Row = testing::Sql::Row;

class MailStatusTest : public MailTest {
protected:
    static Deferred later(const std::string& why)
    {
        Deferred deferred;
        deferred.delay = std::chrono::seconds(30);
        deferred.retry_count = 1;
        deferred.why = why;
        return deferred;
    }
    static GivenUp given_up(core::LetterReason reason, const std::string& why)
    {
        GivenUp settled;
        settled.reason = reason;
        settled.why = why;
        return settled;
    }
    bool has_next_try(std::int64_t message)
    {
        return sql.one("select next_try_at > now() from email_status where id = $1",
                       {std::to_string(message)}) == "t";
    }
    bool has_ended(std::int64_t message)
    {
        return sql.one("select ended_at is not null from email_status where id = $1",
                       {std::to_string(message)}) == "t";
    }
};

TEST_F(MailStatusTest, follows_the_event_from_intake_to_the_end)
{
    const std::int64_t mail = send();
    const std::int64_t event = event_of(mail);
    EXPECT_EQ(seen(mail), (Row{"NOT_YET_SENT", "0", "", ""}));

    Lease lease = take(event);
    EXPECT_EQ(seen(mail), (Row{"IN_PROCESS", "0", "", ""}));
    write(lease, {try_of(event, core::Outcome::failed, "connection refused"),
                  try_of(event, core::Outcome::failed, "451 greylisted", 1, "backup")});
    EXPECT_EQ(seen(mail), (Row{"IN_PROCESS", "1", "backup", "451 greylisted"}));
    EXPECT_FALSE(has_next_try(mail));
    write(lease, {}, later("451 greylisted"));
    EXPECT_EQ(seen(mail), (Row{"REQUIRED_RESEND", "1", "backup", "451 greylisted"}));
    EXPECT_TRUE(has_next_try(mail));

    lease = take(event);
    EXPECT_EQ(mail_status(mail), "IN_PROCESS");
    EXPECT_FALSE(has_ended(mail));
    write(lease, {try_of(event, core::Outcome::succeeded, "", 2)}, Finished{});
    EXPECT_EQ(seen(mail), (Row{"SUCCESS_SENT", "2", "primary", ""}));
    EXPECT_TRUE(has_ended(mail));
}

TEST_F(MailStatusTest, says_why_it_waits_where_nobody_could_be_asked)
{
    const std::string left_out = "email: every provider that may send it is left out for now";
    const std::int64_t mail = send();
    write(take(event_of(mail)), {}, later(left_out));
    EXPECT_EQ(seen(mail), (Row{"NOT_YET_SENT", "0", "", left_out}));
    const Lease lease = take(event_of(mail));
    write(lease, {try_of(lease.id, core::Outcome::failed, "451 greylisted")},
          later("email: 451 greylisted (attempt 1)"));
    EXPECT_EQ(seen(mail), (Row{"REQUIRED_RESEND", "1", "primary", "451 greylisted"}));
    write(take(event_of(mail)), {}, later(left_out));
    EXPECT_EQ(seen(mail), (Row{"REQUIRED_RESEND", "1", "primary", left_out}));

    // Another step's trouble is not the mail's.
    const std::int64_t event = emit_saga("order-1");
    write(take(event), {}, later("a: 503"));
    EXPECT_EQ(seen(2), (Row{"NOT_YET_SENT", "0", "", ""}));
}

TEST_F(MailStatusTest, is_as_before_when_a_relay_hands_back_what_it_has_not_tried)
{
    const std::int64_t mail = send();
    write(take(event_of(mail)), {}, Released{});
    EXPECT_EQ(mail_status(mail), "NOT_YET_SENT");
}

TEST_F(MailStatusTest, tells_a_refusal_from_retries_that_ran_out)
{
    struct Case {
        core::Outcome outcome;
        core::LetterReason reason;
        const char* status;
    };
    const Case all[] = {
        {core::Outcome::rejected, core::LetterReason::NON_RETRYABLE_ERROR, "FAILED_NOT_RETRYABLE"},
        {core::Outcome::failed, core::LetterReason::NON_RETRYABLE_ERROR, "FAILED_NOT_RETRYABLE"},
        {core::Outcome::failed, core::LetterReason::MAX_RETRIES_EXCEEDED,
         "FAILED_RETRIES_EXHAUSTED"},
        {core::Outcome::unknown, core::LetterReason::MAX_RETRIES_EXCEEDED,
         "FAILED_RETRIES_EXHAUSTED"},
        {core::Outcome::failed, core::LetterReason::POISONED, "FAILED_RETRIES_EXHAUSTED"},
    };
    for (const Case& one : all) {
        const std::int64_t mail = send();
        const Lease lease = take(event_of(mail));
        write(lease, {try_of(lease.id, one.outcome, "550 no such user")},
              given_up(one.reason, "email: 550 no such user"));
        EXPECT_EQ(seen(mail), (Row{one.status, "1", "primary", "550 no such user"}));
        EXPECT_TRUE(has_ended(mail));
    }
    const std::int64_t poisoned = send();
    write(take(event_of(poisoned)), {}, given_up(core::LetterReason::POISONED, "workers died"));
    EXPECT_EQ(seen(poisoned), (Row{"FAILED_RETRIES_EXHAUSTED", "0", "", "workers died"}));
    const std::int64_t lost = send();
    write(take(event_of(lost)), {},
          given_up(core::LetterReason::NON_RETRYABLE_ERROR, "no provider"));
    EXPECT_EQ(seen(lost), (Row{"FAILED_NOT_RETRYABLE", "0", "", "no provider"}));
}

TEST_F(MailStatusTest, does_not_depend_on_whether_rows_or_the_change_of_status_come_first)
{
    const std::string row = "insert into aggregate_results (event_id, aggregate_id, event_type, "
                            "destination, success, outcome, error_message, request_payload) values "
                            "(1, 'x', 'email', 'email', false, 'rejected', '550 no', "
                            "'{\"provider\": \"primary\"}');";
    const std::string end = "update outbox_events set status = 'PROCESSED', moved_to_dlq = true, "
                            "last_error = '550 no' where id = 1;"
                            "insert into dead_letter_events (original_event_id, aggregate_id, "
                            "event_type, reason) values (1, 'x', 'email', 'NON_RETRYABLE_ERROR');";
    for (const std::string& order : {row + end, end + row}) {
        sql.exec("truncate outbox_events, aggregate_results, dead_letter_events, email_messages, "
                 "email_counts restart identity cascade");
        const std::int64_t mail = send();
        take(1);
        sql.exec("begin;" + order + "commit");
        EXPECT_EQ(seen(mail), (Row{"FAILED_NOT_RETRYABLE", "1", "primary", "550 no"}));
    }
}

TEST_F(MailStatusTest, is_sent_within_a_saga_as_soon_as_its_own_step_has_succeeded)
{
    const std::int64_t event = emit_saga("order-1");
    const Lease lease = take(event);
    write(lease, {try_of(event, core::Outcome::succeeded)});
    EXPECT_EQ(seen(1), (Row{"SUCCESS_SENT", "1", "primary", ""}));
    write(lease, {row_of(event, "a")}, later("a: 503"));
    EXPECT_EQ(mail_status(1), "SUCCESS_SENT");
    write(take(event), {}, given_up(core::LetterReason::MAX_RETRIES_EXCEEDED, "a: 503"));
    EXPECT_EQ(seen(1), (Row{"SUCCESS_SENT", "1", "primary", ""}));
}

TEST_F(MailStatusTest, says_that_the_saga_failed_before_the_mail_s_turn_came)
{
    const std::int64_t event = emit_saga("order-1");
    core::StepResult row = row_of(event, "a");
    row.outcome = core::Outcome::rejected;
    write(take(event), {row}, given_up(core::LetterReason::MAX_RETRIES_EXCEEDED, "a: 400"));
    EXPECT_EQ(seen(1), (Row{"FAILED_NOT_RETRYABLE", "0", "",
                            "not sent, since its event failed before: a: 400"}));

    const std::int64_t none = emit_saga("order-2");
    write(take(none), {row_of(none, "a")}, Finished{});
    EXPECT_EQ(seen(2),
              (Row{"FAILED_NOT_RETRYABLE", "0", "", "the event ended without a step `email`"}));
}

TEST_F(MailStatusTest, has_failed_where_its_event_was_cancelled_before_it_was_sent)
{
    emit_saga("order-1");
    sql.exec("update outbox_events set status = 'CANCELLED' where id = 1");
    EXPECT_EQ(seen(1), (Row{"FAILED_NOT_RETRYABLE", "0", "", "cancelled before it was sent"}));

    const std::int64_t event = emit_saga("order-2");
    write(take(event), {try_of(event, core::Outcome::unknown, "no answer")}, Stopped{});
    EXPECT_EQ(seen(2).at(3), "cancelled; the last try may have sent it");
    const std::int64_t sent = emit_saga("order-3");
    write(take(sent), {try_of(sent, core::Outcome::succeeded)}, Stopped{});
    EXPECT_EQ(mail_status(3), "SUCCESS_SENT");
}

TEST_F(MailStatusTest, changes_nothing_about_messages_of_others)
{
    const std::int64_t mail = send();
    const std::int64_t event = emit("order-1");
    write(take(event), {try_of(event, core::Outcome::succeeded)}, Finished{});
    EXPECT_EQ(mail_status(mail), "NOT_YET_SENT");
}

TEST_F(MailStatusTest, counts_what_there_is_at_every_moment_of_concurrent_changes)
{
    constexpr int rounds = 40;
    std::vector<std::string> events;
    for (int i = 0; i < 10; ++i) {
        events.push_back(std::to_string(event_of(send())));
    }
    std::atomic<int> busy{2};
    const auto change = [&](std::size_t first) {
        testing::Sql by(url);
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t i = first; i < events.size(); i += 2) {
                by.exec("update outbox_events set status = 'PROCESSING' where id = " + events[i]);
                by.exec("begin; update outbox_events set status = 'PENDING', next_retry_at = now() "
                        "where id = " +
                        events[i] + (round % 3 == 0 ? "; rollback" : "; commit"));
            }
            by.exec("select outbox_emit_email($1::jsonb)", {Letter().json()});
        }
        --busy;
    };
    const auto fold = [&] {
        testing::Sql by(url);
        while (busy > 0) {
            by.exec("select email_fold_counts()");
        }
    };
    std::thread a(change, 0), b(change, 1), c(fold), d(fold);
    int looked = 0;
    while (busy > 0) {
        // One statement, one snapshot: the counts must fit what it sees.
        const std::string wrong =
            sql.one("select count(*) from (select status, count(*) as messages from email_messages "
                    "group by status) m full join (select status, sum(messages) as messages from "
                    "email_counts group by status having sum(messages) <> 0) c using (status) "
                    "where m.messages is distinct from c.messages");
        EXPECT_EQ(wrong, "0");
        ++looked;
    }
    for (std::thread* t : {&a, &b, &c, &d}) {
        t->join();
    }
    EXPECT_GT(looked, 1);
    sql.exec("select email_fold_counts()");
    EXPECT_EQ(sql.one("select count(*) = count(distinct status) from email_counts"), "t");
    std::int64_t counted = 0;
    for (const MailCount& one : must(count_mail(*connection, Deadline::after(patience)))) {
        EXPECT_EQ(std::to_string(one.messages),
                  sql.one("select count(*) from email_messages where status = $1", {one.status}));
        counted += one.messages;
    }
    EXPECT_EQ(counted, 10 + 2 * rounds);
}

} // namespace
} // namespace sagabox::store
