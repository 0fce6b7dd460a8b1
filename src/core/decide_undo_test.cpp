#include "core/decide_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::core {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr Outcome ok = Outcome::succeeded;

Case all_done()
{
    Case given;
    given.after({happened("a", ok), happened("b", ok), happened("c", ok)}).compensating();
    return given;
}

TEST(DecideUndo, undoes_steps_in_the_reverse_of_the_order_in_which_they_succeeded)
{
    Case given;
    given.after({happened("b", ok), happened("a", ok), happened("c", ok)}).compensating();
    for (const std::string step : {"c", "a", "b"}) {
        EXPECT_EQ(called(given.next()), step + ".revert #1");
        given.saga.own.results.push_back(reverted(step, ok));
    }
    as<Finish>(given.next());
}

TEST(DecideUndo, never_undoes_an_earlier_step_before_a_later_one_is_undone)
{
    Case given = all_done();
    given.saga.own.results.push_back(reverted("c", ok));
    given.saga.own.results.push_back(reverted("b", Outcome::failed));
    EXPECT_EQ(as<Wait>(given.next()).until, test_now + 2s);
    EXPECT_EQ(called(given.next(2s)), "b.revert #2");
    given.saga.own.results.push_back(reverted("b", ok));
    EXPECT_EQ(called(given.next()), "a.revert #1");
}

TEST(DecideUndo, passes_over_steps_that_have_no_revert)
{
    Case given = all_done();
    only_route(given.plan, "c").revert.reset();
    only_route(given.plan, "a").revert.reset();
    EXPECT_EQ(called(given.next()), "b.revert #1");
    given.saga.own.results.push_back(reverted("b", ok));
    as<Finish>(given.next());
}

TEST(DecideUndo, leaves_alone_what_was_skipped_failed_or_rejected)
{
    Case given;
    given
        .after({happened("a", Outcome::skipped), happened("b", Outcome::failed),
                happened("b", Outcome::rejected)})
        .compensating();
    as<Finish>(given.next());
}

TEST(DecideUndo, uses_the_revert_of_the_route_that_was_taken)
{
    Case given = all_done();
    auto& routes = given.plan.destinations.find("c")->second.routes;
    routes.push_back(route_to("http://c.example/other"));
    routes[1].revert = revert_by("http://c.example/other/undo");
    given.saga.own.results[2].route = 1;
    EXPECT_EQ(as<MakeCall>(given.next()).call.request.url, "http://c.example/other/undo");
}

TEST(DecideUndo, needs_a_person_where_the_route_is_gone)
{
    Case given = all_done();
    given.plan.destinations.erase("c");
    EXPECT_THAT(as<NeedsPerson>(given.next()).why, HasSubstr("c of event 17"));
}

TEST(DecideUndo, needs_a_person_at_once_when_a_revert_is_rejected)
{
    Case given = all_done();
    given.saga.own.results.push_back(reverted("c", Outcome::rejected));
    const NeedsPerson person = as<NeedsPerson>(given.next(1h));
    EXPECT_EQ(person.reason, LetterReason::NON_RETRYABLE_ERROR);
    EXPECT_EQ(person.retry_count, 0);
}

TEST(DecideUndo, needs_a_person_after_the_reverts_own_number_of_retries)
{
    Case given = all_done();
    given.plan.revert_max_retries = 1;
    given.saga.own.results.push_back(reverted("c", Outcome::failed));
    EXPECT_EQ(called(given.next(2s)), "c.revert #2");
    given.saga.own.results.push_back(reverted("c", Outcome::unknown));
    const NeedsPerson person = as<NeedsPerson>(given.next(1h));
    EXPECT_EQ(person.reason, LetterReason::MAX_RETRIES_EXCEEDED);
    EXPECT_EQ(person.retry_count, 1);
}

TEST(DecideUndo, resumes_a_revert_that_a_person_forgave)
{
    Case given = all_done();
    given.saga.own.results.push_back(reverted("c", ok));
    given.saga.own.results.push_back(reverted("b", Outcome::rejected));
    given.saga.own.results.back().forgiven = true;
    EXPECT_EQ(called(given.next()), "b.revert #1");
}

TEST(DecideUndo, needs_a_person_where_a_value_of_the_revert_is_no_good)
{
    for (const char* answer :
         {"{}", R"({"id":null})", R"({"id":""})", R"({"id":{}})", R"({"id":[1]})"}) {
        Case given;
        only_route(given.plan, "a").revert = revert_by("http://a.example/{id}");
        only_route(given.plan, "a")
            .revert->extract.push_back(must(Extraction::parse("id", "$.id")));
        given.after({answered("a", answer)}).compensating();
        const NeedsPerson person = as<NeedsPerson>(given.next());
        EXPECT_EQ(person.reason, LetterReason::NON_RETRYABLE_ERROR);
        EXPECT_THAT(person.why, HasSubstr("id")) << answer;
    }
}

TEST(DecideUndo, gives_up_a_letter_that_kills_its_workers)
{
    Case given = all_done();
    Compensation letter;
    letter.deaths = 4;
    given.saga.errand = letter;
    EXPECT_EQ(as<NeedsPerson>(given.next()).reason, LetterReason::POISONED);
}

// What became of the step that failed for good, in the four variants of the contract's 5.9.

class InDoubt : public ::testing::Test {
protected:
    Case given;

    void revert_needs(std::string_view source)
    {
        only_route(given.plan, "b").revert = revert_by("http://b.example/{id}");
        only_route(given.plan, "b")
            .revert->extract.push_back(must(Extraction::parse("id", source)));
    }
    void b_ended(std::vector<Outcome> outcomes)
    {
        std::vector<StepResult> rows{happened("a", ok)};
        for (const Outcome outcome : outcomes) {
            rows.push_back(happened("b", outcome));
            rows.back().request = json_of(R"({"id":"r-1"})");
        }
        given.after(std::move(rows)).compensating();
    }
};

TEST_F(InDoubt, undoes_an_unknown_step_by_what_was_sent)
{
    revert_needs("request:$.id");
    b_ended({Outcome::unknown, Outcome::rejected});
    EXPECT_EQ(as<MakeCall>(given.next()).call.request.url, "http://b.example/r-1");
    given.saga.own.results.push_back(reverted("b", ok));
    EXPECT_EQ(called(given.next()), "a.revert #1");
    given.saga.own.results.push_back(reverted("a", ok));
    as<Finish>(given.next());
}

TEST_F(InDoubt, leaves_to_a_person_what_only_the_lost_answer_could_undo_after_the_other_reverts)
{
    revert_needs("response:$.id");
    b_ended({Outcome::unknown});
    EXPECT_EQ(called(given.next()), "a.revert #1");
    given.saga.own.results.push_back(reverted("a", ok));
    const NeedsPerson person = as<NeedsPerson>(given.next());
    EXPECT_THAT(person.why, HasSubstr("b of event 17 may have taken effect"));
}

TEST_F(InDoubt, does_not_undo_a_step_that_never_left_or_was_refused)
{
    revert_needs("request:$.id");
    for (const Outcome outcome : {Outcome::failed, Outcome::rejected}) {
        b_ended({outcome});
        EXPECT_EQ(called(given.next()), "a.revert #1");
        given.saga.own.results.push_back(reverted("a", ok));
        as<Finish>(given.next());
    }
}

// Cancelling by `!OrderCreated`.

Event order(std::int64_t id, EventStatus status)
{
    Event event = test_event();
    event.id = EventId{id};
    event.uuid = "uuid-" + std::to_string(id);
    event.status = status;
    return event;
}

History target(std::int64_t id, EventStatus status, std::vector<StepResult> results = {})
{
    for (StepResult& row : results) {
        row.event_id = EventId{id};
        row.cause = EventId{id};
    }
    return {order(id, status), std::move(results), {}};
}

Case cancelling(std::vector<History> targets)
{
    Case given;
    given.saga.own.event.id = EventId{99};
    given.saga.own.event.type = "!OrderCreated";
    given.saga.errand = Cancellation{std::move(targets)};
    return given;
}

TEST(DecideCancel, has_nothing_to_do_without_an_event_to_cancel)
{
    as<Finish>(cancelling({}).next());
}

TEST(DecideCancel, first_cancels_what_waits)
{
    const Case given = cancelling({target(1, EventStatus::PROCESSED, {happened("a", ok)}),
                                   target(2, EventStatus::PENDING, {happened("a", ok)})});
    EXPECT_THAT(as<CancelWaiting>(given.next()).events, ::testing::ElementsAre(EventId{2}));
}

TEST(DecideCancel, waits_for_what_is_being_worked_on)
{
    as<Wait>(cancelling({target(1, EventStatus::PROCESSING)}).next());
    for (const LetterStatus letter : {LetterStatus::PENDING, LetterStatus::PROCESSING}) {
        History compensating = target(1, EventStatus::PROCESSED, {happened("a", ok)});
        compensating.letter = letter;
        as<Wait>(cancelling({compensating}).next());
    }
}

TEST(DecideCancel, undoes_several_events_last_first)
{
    Case given =
        cancelling({target(1, EventStatus::PROCESSED, {happened("a", ok), happened("b", ok)}),
                    target(2, EventStatus::CANCELLED, {happened("a", ok)})});
    auto& targets = std::get<Cancellation>(given.saga.errand).targets;

    std::vector<std::string> keys;
    for (int i = 0; i < 3; ++i) {
        const Call call = as<MakeCall>(given.next()).call;
        keys.push_back(header_text(call.request.headers, "Idempotency-Key"));
        EXPECT_EQ(call.row.cause, EventId{99});
        StepResult row = call.row;
        row.outcome = ok;
        targets[call.row.event_id == EventId{1} ? 0 : 1].results.push_back(row);
    }
    EXPECT_THAT(keys,
                ::testing::ElementsAre("uuid-2:a.revert", "uuid-1:b.revert", "uuid-1:a.revert"));
    as<Finish>(given.next());
}

TEST(DecideCancel, undoes_what_a_failed_letter_left_with_attempts_of_its_own)
{
    History left = target(1, EventStatus::PROCESSED,
                          {happened("a", ok), happened("b", ok), reverted("b", Outcome::rejected)});
    left.letter = LetterStatus::FAILED;
    const Case given = cancelling({left});
    EXPECT_EQ(called(given.next()), "b.revert #1");
}

TEST(DecideCancel, is_never_itself_compensated)
{
    Case given = cancelling({target(1, EventStatus::PROCESSED, {happened("a", ok)})});
    StepResult refused = reverted("a", Outcome::rejected);
    refused.cause = EventId{99};
    std::get<Cancellation>(given.saga.errand).targets[0].results.push_back(refused);
    EXPECT_EQ(as<NeedsPerson>(given.next()).reason, LetterReason::NON_RETRYABLE_ERROR);
    given.saga.own.event.deaths = 4;
    EXPECT_EQ(as<NeedsPerson>(given.next()).reason, LetterReason::POISONED);
}

} // namespace

} // namespace sagabox::core
