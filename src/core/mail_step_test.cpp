#include "core/mail_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::core {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Stage = MailAnswer::Stage;

const MailAnswer no_connection = broken_at(Stage::connect, 0);
const MailAnswer lost_at_the_dot = dotted({{"a@x", 250}}, 0);
const MailAnswer too_large = broken_at(Stage::sender, 552);

TEST(MailStep, asks_the_first_provider_and_is_done_when_it_takes_the_letter)
{
    MailCase mail;
    EXPECT_EQ(mail.asked(), "one #1");
    const SendMail send = as<SendMail>(mail.next());
    EXPECT_EQ(send.mailing.message, 5);
    EXPECT_EQ(send.row.http_method, "SMTP");
    EXPECT_EQ(send.row.endpoint_url, "smtp://one.example:587");
    mail.answered(dotted({{"a@x", 250}}, 250));
    as<Finish>(mail.next());
}

TEST(MailStep, asks_the_next_provider_at_once_within_the_same_attempt)
{
    MailCase mail;
    mail.answered(no_connection);
    EXPECT_EQ(mail.asked(), "two #1");
    mail.answered(broken_at(Stage::auth, 535));
    EXPECT_EQ(mail.asked(), "three #1");
    mail.answered(dotted({{"a@x", 250}}, 250));
    as<Finish>(mail.next());
}

TEST(MailStep, waits_between_rounds_by_attempt_times_base_and_counts_rounds_not_tries)
{
    MailCase mail;
    mail.answered(no_connection).answered(no_connection).answered(no_connection);
    const Wait first = as<Wait>(mail.next());
    EXPECT_EQ(first.until, test_now + seconds{30});
    EXPECT_EQ(first.retry_count, 1);
    mail.now = first.until;
    EXPECT_EQ(mail.asked(), "one #2");
    mail.answered(no_connection).answered(no_connection).answered(no_connection);
    EXPECT_EQ(as<Wait>(mail.next()).until, first.until + seconds{60});
    mail.later(seconds{60});
    mail.answered(no_connection).answered(no_connection).answered(no_connection);
    const GiveUp up = as<GiveUp>(mail.next());
    EXPECT_EQ(up.reason, LetterReason::MAX_RETRIES_EXCEEDED);
    EXPECT_EQ(up.retry_count, 2);
}

TEST(MailStep, waits_as_long_as_the_last_provider_asked_for)
{
    MailCase mail;
    mail.providers = {http_provider("api")};
    MailAnswer busy;
    busy.stage = Stage::http;
    busy.recipients.push_back({"a@x", {}});
    busy.http.emplace();
    busy.http->delivery = Answer::Delivery::answered;
    busy.http->status = 429;
    busy.http->headers = {{"Retry-After", "7"}};
    mail.answered(busy);
    EXPECT_EQ(as<Wait>(mail.next()).until, test_now + seconds{7});
}

TEST(MailStep, fails_for_good_when_the_letter_is_too_large_for_every_provider)
{
    MailCase mail;
    mail.answered(too_large).answered(too_large).answered(too_large);
    EXPECT_EQ(as<GiveUp>(mail.next()).reason, LetterReason::NON_RETRYABLE_ERROR);

    MailCase one_was_down;
    one_was_down.answered(too_large).answered(no_connection).answered(too_large);
    as<Wait>(one_was_down.next());
}

TEST(MailStep, of_unknown_outcome_stays_with_its_provider_whatever_that_says_next)
{
    MailCase mail;
    mail.max_retries = 9;
    mail.answered(lost_at_the_dot);
    mail.later(seconds{30});
    EXPECT_EQ(mail.asked(), "one #2");
    mail.answered(no_connection);
    as<Wait>(mail.next());
    mail.later(seconds{60});
    EXPECT_EQ(mail.asked(), "one #3");
    mail.answered(dotted({{"a@x", 250}}, 250));
    as<Finish>(mail.next());
}

TEST(MailStep, stays_with_a_provider_that_a_lost_worker_may_have_handed_it_to)
{
    MailCase mail;
    mail.saga.own.event.deaths = 1;
    EXPECT_EQ(as<SendMail>(mail.next()).row.interrupted, 1);
    mail.answered(no_connection);
    const Wait wait = as<Wait>(mail.next());
    mail.now = wait.until;
    EXPECT_EQ(mail.asked(), "one #2");
}

TEST(MailStep, is_free_of_a_doubt_once_a_person_forgives_it_or_its_provider_is_gone)
{
    MailCase mail;
    mail.answered(lost_at_the_dot);
    mail.later(seconds{30});
    mail.answered(no_connection).forgiven();
    mail.answered(no_connection);
    EXPECT_EQ(mail.asked(), "two #1");

    MailCase gone;
    gone.answered(lost_at_the_dot);
    gone.providers.erase(gone.providers.begin());
    gone.later(seconds{30});
    EXPECT_EQ(gone.asked(), "two #2");
}

TEST(MailStep, greylisted_goes_to_the_same_provider_later_and_leaves_it_when_that_fails)
{
    MailCase mail;
    mail.answered(no_connection);
    mail.answered(dotted({{"a@x", 250}, {"b@x", 450}}, 250));
    as<Wait>(mail.next());
    mail.later(seconds{30});
    EXPECT_EQ(mail.asked(), "two #2");
    EXPECT_THAT(as<SendMail>(mail.next()).mailing.accepted, ElementsAre("a@x"));
    mail.answered(broken_at(Stage::connect, 0, {"b@x"}));
    EXPECT_EQ(mail.asked(), "one #2");
}

TEST(MailStep, never_gives_it_again_to_those_who_have_it_or_were_refused)
{
    MailCase mail;
    mail.answered(dotted({{"a@x", 250}, {"b@x", 550}, {"c@x", 450}}, 250));
    mail.later(seconds{30});
    const SendMail send = as<SendMail>(mail.next());
    EXPECT_THAT(send.mailing.accepted, ElementsAre("a@x"));
    EXPECT_THAT(send.mailing.refused, ElementsAre("b@x"));
    mail.answered(dotted({{"c@x", 250}}, 250));
    const GiveUp up = as<GiveUp>(mail.next());
    EXPECT_EQ(up.reason, LetterReason::NON_RETRYABLE_ERROR);
    EXPECT_THAT(up.why, HasSubstr("1 of 3 recipients was refused"));
}

TEST(MailStep, sent_again_by_a_person_goes_to_the_refused_and_not_to_the_accepted)
{
    MailCase mail;
    mail.answered(dotted({{"a@x", 250}, {"b@x", 550}}, 250)).forgiven();
    const SendMail send = as<SendMail>(mail.next());
    EXPECT_EQ(send.mailing.attempt, 1);
    EXPECT_THAT(send.mailing.accepted, ElementsAre("a@x"));
    EXPECT_THAT(send.mailing.refused, IsEmpty());
    mail.answered(dotted({{"b@x", 250}}, 250));
    as<Finish>(mail.next());
}

TEST(MailStep, passes_over_providers_that_are_left_out)
{
    MailCase mail;
    mail.leave_out("one", seconds{20});
    EXPECT_EQ(mail.asked(), "two #1");
    mail.now = test_now + seconds{20};
    EXPECT_EQ(mail.asked(), "one #1") << "its time is over";
}

TEST(MailStep, waits_for_the_first_that_is_back_and_uses_up_no_attempt_where_all_are_left_out)
{
    MailCase mail;
    mail.leave_out("one", seconds{20})
        .leave_out("two", seconds{10})
        .leave_out("three", seconds{15});
    const Wait wait = as<Wait>(mail.next());
    EXPECT_EQ(wait.until, test_now + seconds{10});
    EXPECT_EQ(wait.retry_count, 0);
    mail.now = wait.until;
    EXPECT_EQ(mail.asked(), "two #1");
}

TEST(MailStep, ends_its_round_where_those_that_are_left_are_left_out)
{
    MailCase mail;
    mail.leave_out("two", seconds{20}).leave_out("three", seconds{20});
    mail.answered(no_connection);
    EXPECT_EQ(as<Wait>(mail.next()).until, test_now + seconds{30});

    MailCase size;
    size.leave_out("two", seconds{20}).leave_out("three", seconds{20});
    size.answered(too_large);
    as<Wait>(size.next()); // another may yet take it
}

TEST(MailStep, in_doubt_waits_for_its_own_provider_while_that_is_left_out)
{
    MailCase mail;
    mail.answered(lost_at_the_dot).leave_out("one", seconds{300});
    mail.later(seconds{30});
    EXPECT_EQ(as<Wait>(mail.next()).until, test_now + seconds{300});
}

TEST(MailStep, stops_for_a_cancel_between_two_tries)
{
    MailCase mail;
    mail.answered(no_connection);
    std::get<Forward>(mail.saga.errand).cancel_waiting = true;
    as<StopForCancel>(mail.next());
}

TEST(MailStep, needs_the_number_of_a_stored_message)
{
    for (const char* payloads : {"{}", R"({"email": {}})", R"({"email": {"message": "5"}})",
                                 R"({"email": {"message": 1.5}})"}) {
        MailCase mail;
        mail.saga.own.event.payloads = json_of(payloads);
        EXPECT_THAT(as<GiveUp>(mail.next()).why, HasSubstr("payloads.email.message")) << payloads;
    }
}

TEST(MailStep, says_which_key_is_missing_where_no_mail_is_configured)
{
    const MailCase mail;
    Plan plan = mail.plan();
    plan.mail = nullptr;
    EXPECT_THAT(as<GiveUp>(decide(plan, mail.saga, test_now)).why, HasSubstr("email.providers"));
}

TEST(MailStep, in_a_fan_out_is_passed_over_when_what_came_before_it_is_undone)
{
    MailCase mail;
    Plan plan = plan_of_abc();
    plan.destinations.emplace("email", *mail.plan().destination("email"));
    plan.mail = mail.plan().mail;
    plan.fanouts["OrderCreated"] = {"a", "email", "b"};
    Saga saga{{test_event(R"({"email": {"message": 5}})"), {}, {}}, Forward{}};
    saga.own.results = {happened("a", Outcome::succeeded)};
    EXPECT_EQ(as<SendMail>(decide(plan, saga, test_now)).row.fanout_order, 1);
    saga.own.results.push_back(happened("email", Outcome::succeeded));
    EXPECT_EQ(called(decide(plan, saga, test_now)), "b #1");
    saga.own.results.push_back(happened("b", Outcome::rejected));
    saga.errand = Compensation{};
    EXPECT_EQ(called(decide(plan, saga, test_now)), "a.revert #1");
    saga.own.results.push_back(reverted("a", Outcome::succeeded));
    as<Finish>(decide(plan, saga, test_now));
}

} // namespace
} // namespace sagabox::core
