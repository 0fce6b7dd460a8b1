#include "core/decide_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::core {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Decide, begins_with_the_first_step)
{
    EXPECT_EQ(called(Case{}.next()), "a #1");
}

TEST(Decide, goes_on_with_the_step_after_the_last_success)
{
    Case given;
    given.after({happened("a", Outcome::succeeded)});

    const Call call = as<MakeCall>(given.next()).call;
    EXPECT_EQ(call.row.destination, "b");
    EXPECT_EQ(call.row.fanout_order, 1);
    EXPECT_EQ(call.request.url, "http://b.example/do");
}

TEST(Decide, finishes_when_every_step_succeeded_or_was_skipped)
{
    Case given;
    given.after({happened("a", Outcome::succeeded), happened("b", Outcome::skipped),
                 happened("c", Outcome::succeeded)});
    as<Finish>(given.next());
}

TEST(Decide, finishes_an_event_whose_fan_out_is_empty)
{
    Case given;
    given.plan.fanouts.find("OrderCreated")->second.clear();
    as<Finish>(given.next());
}

TEST(Decide, never_repeats_a_step_that_succeeded_after_failures)
{
    Case given;
    given.after({happened("a", Outcome::failed), happened("a", Outcome::unknown),
                 happened("a", Outcome::succeeded)});
    EXPECT_EQ(called(given.next(1h)), "b #1");
}

TEST(Decide, sends_an_event_without_a_fan_out_to_the_destination_of_its_own_name)
{
    Case given;
    given.saga.own.event.type = "b";
    EXPECT_EQ(called(given.next()), "b #1");
    given.after({happened("b", Outcome::succeeded)});
    as<Finish>(given.next());
}

TEST(Decide, names_the_keys_that_an_unknown_event_type_lacks)
{
    Case given;
    given.saga.own.event.type = "Unheard";
    const GiveUp up = as<GiveUp>(given.next());
    EXPECT_EQ(up.reason, LetterReason::NON_RETRYABLE_ERROR);
    EXPECT_THAT(up.why, HasSubstr("outbox.http.fanout.Unheard"));
    EXPECT_THAT(up.why, HasSubstr("outbox.http.routes.Unheard"));
}

TEST(Decide, gives_up_on_payloads_that_are_no_object)
{
    for (const char* payloads : {"[]", "7", "\"text\"", "null", "true"}) {
        Case given;
        given.saga.own.event.payloads = json_of(payloads);
        EXPECT_EQ(as<GiveUp>(given.next()).reason, LetterReason::NON_RETRYABLE_ERROR) << payloads;
    }
}

TEST(Decide, sends_an_empty_object_to_a_step_for_which_the_payloads_have_nothing)
{
    EXPECT_EQ(as<MakeCall>(Case{}.next()).call.request.body, "{}");
}

TEST(Decide, skips_a_step_whose_route_hangs_on_a_body_that_is_not_there)
{
    Case given;
    only_route(given.plan, "a").condition =
        Condition{path_of("$.kind"), Operator::ne, "foreign", {}};
    const SkipStep skip = as<SkipStep>(given.next());
    EXPECT_EQ(skip.row.destination, "a");
    EXPECT_EQ(skip.row.outcome, Outcome::skipped);
    EXPECT_THAT(skip.row.error, HasSubstr("condition"));
}

TEST(Decide, takes_the_first_route_whose_condition_holds_for_the_body)
{
    Case given;
    auto& routes = given.plan.destinations.find("a")->second.routes;
    routes[0].condition = Condition{path_of("$.kind"), Operator::eq, "domestic", {}};
    routes.push_back(route_to("http://a.example/abroad"));
    routes[1].condition = Condition{path_of("$.kind"), Operator::eq, "foreign", {}};
    routes.push_back(route_to("http://a.example/anywhere"));

    given.saga.own.event.payloads = json_of(R"({"a":{"kind":"foreign"}})");
    EXPECT_EQ(as<MakeCall>(given.next()).call.request.url, "http://a.example/abroad");
    EXPECT_EQ(as<MakeCall>(given.next()).call.row.route, 1);
    given.saga.own.event.payloads = json_of(R"({"a":{"kind":"other"}})");
    EXPECT_EQ(as<MakeCall>(given.next()).call.request.url, "http://a.example/anywhere");
}

class RouteByAnswer : public ::testing::Test {
protected:
    RouteByAnswer()
    {
        only_route(given.plan, "b").condition =
            Condition{path_of("$.risk"), Operator::lt, "50", "a"};
    }
    Case given;
};

TEST_F(RouteByAnswer, uses_the_stored_answer_at_a_retry_too)
{
    given.after({answered("a", R"({"risk":25})"), happened("b", Outcome::failed),
                 happened("b", Outcome::failed)});
    EXPECT_EQ(called(given.next(1h)), "b #3");
}

TEST_F(RouteByAnswer, skips_where_the_answer_says_otherwise_or_is_missing)
{
    given.after({answered("a", R"({"risk":75})")});
    as<SkipStep>(given.next());
    given.after({answered("a", R"({"raw":"risk 25"})")});
    as<SkipStep>(given.next());
    given.after({happened("a", Outcome::succeeded)});
    as<SkipStep>(given.next());
    given.after({happened("a", Outcome::skipped)});
    as<SkipStep>(given.next());
}

TEST(Decide, retries_by_the_backoff_counted_from_the_failed_call)
{
    struct Row {
        std::size_t failures;
        std::chrono::milliseconds delay;
    };
    for (const Row& row : {Row{1, 2s}, Row{2, 4s}, Row{3, 8s}}) {
        Case given;
        given.after(std::vector<StepResult>(row.failures, happened("a", Outcome::failed)));
        const Wait wait = as<Wait>(given.next(row.delay - 1ms));
        EXPECT_EQ(wait.until, test_now + row.delay);
        EXPECT_EQ(wait.retry_count, static_cast<int>(row.failures));
        EXPECT_EQ(called(given.next(row.delay)), "a #" + std::to_string(row.failures + 1));
    }
}

TEST(Decide, obeys_the_pause_that_an_answer_asked_for_and_counts_it_as_an_attempt)
{
    StepResult busy = happened("a", Outcome::failed);
    busy.retry_after = 90s;
    Case given;
    given.after({busy});
    EXPECT_EQ(as<Wait>(given.next(89s)).until, test_now + 90s);
    EXPECT_EQ(called(given.next(90s)), "a #2");
    given.after({busy, busy, busy, busy});
    EXPECT_EQ(as<GiveUp>(given.next()).reason, LetterReason::MAX_RETRIES_EXCEEDED);
}

TEST(Decide, gives_up_after_the_retries_whether_the_calls_failed_or_are_unknown)
{
    StepResult failed = happened("a", Outcome::failed);
    failed.error = "503 Service Unavailable";
    Case given;
    given.after({failed, happened("a", Outcome::unknown), failed, failed});
    const GiveUp up = as<GiveUp>(given.next());
    EXPECT_EQ(up.reason, LetterReason::MAX_RETRIES_EXCEEDED);
    EXPECT_EQ(up.retry_count, 3);
    EXPECT_THAT(up.why, HasSubstr("a: 503 Service Unavailable (attempt 4)"));
}

TEST(Decide, counts_attempts_for_each_step_on_its_own)
{
    Case given;
    given.after({happened("a", Outcome::failed), happened("a", Outcome::failed),
                 happened("a", Outcome::failed), happened("a", Outcome::succeeded),
                 happened("b", Outcome::failed)});
    EXPECT_EQ(as<Wait>(given.next()).retry_count, 1);
}

TEST(Decide, gives_up_at_once_when_rejected)
{
    Case given;
    given.after({happened("a", Outcome::rejected)});
    const GiveUp up = as<GiveUp>(given.next());
    EXPECT_EQ(up.reason, LetterReason::NON_RETRYABLE_ERROR);
    EXPECT_EQ(up.retry_count, 0);
}

TEST(Decide, gives_up_on_a_request_that_cannot_be_built)
{
    Case given;
    only_route(given.plan, "a").url = must(UrlTemplate::parse("http://a.example/{id}"));
    const GiveUp up = as<GiveUp>(given.next());
    EXPECT_EQ(up.reason, LetterReason::NON_RETRYABLE_ERROR);
    EXPECT_THAT(up.why, HasSubstr("id"));
}

TEST(Decide, calls_again_and_afresh_what_a_person_forgave)
{
    StepResult forgiven = happened("b", Outcome::rejected);
    forgiven.forgiven = true;
    Case given;
    given.after({happened("a", Outcome::succeeded), forgiven});
    EXPECT_EQ(called(given.next()), "b #1");
}

TEST(Decide, marks_the_keys_of_a_second_run)
{
    Case given;
    given.after({happened("a", Outcome::succeeded), reverted("a", Outcome::succeeded)});
    given.saga.own.event.run = 2;

    const Call call = as<MakeCall>(given.next()).call;
    EXPECT_EQ(header_text(call.request.headers, "Idempotency-Key"),
              given.saga.own.event.uuid + ":a:2");
    EXPECT_EQ(call.row.run, 2);
    EXPECT_EQ(call.row.attempt, 1);
}

TEST(Decide, takes_an_event_that_kills_its_workers_for_poison)
{
    Case given;
    given.saga.own.event.deaths = 3;
    EXPECT_EQ(called(given.next()), "a #1");
    EXPECT_EQ(as<MakeCall>(given.next()).call.row.interrupted, 3);
    given.saga.own.event.deaths = 4;
    EXPECT_EQ(as<GiveUp>(given.next()).reason, LetterReason::POISONED);
}

TEST(Decide, stops_between_steps_for_a_cancel_but_finishes_what_is_done)
{
    Case given;
    given.saga.errand = Forward{true};
    given.after({happened("a", Outcome::succeeded)});
    as<StopForCancel>(given.next());
    given.after({happened("a", Outcome::succeeded), happened("b", Outcome::succeeded),
                 happened("c", Outcome::succeeded)});
    as<Finish>(given.next());
}

TEST(Decide, waits_longer_each_time_the_outcome_sql_is_refused)
{
    Case given;
    const Wait first = wait_after_refusal(given.plan, given.saga, "no such table", test_now);
    EXPECT_EQ(first.until, test_now + 2s);
    EXPECT_THAT(first.why, HasSubstr("no such table"));
    given.saga.own.event.retry_count = 1000;
    EXPECT_EQ(wait_after_refusal(given.plan, given.saga, "no", test_now).until, test_now + 5min);
}

} // namespace

} // namespace sagabox::core
