#include "app/once/judge.hpp"

#include "app/once/evidence_fixture.hpp"
#include "app/once/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::app::once {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Order domestic{.id = 8, .asked = {}};

/// A payment refused for good, undone: rows both ways, a letter, and nothing left in force.
Expected undone()
{
    Expected expected = confirmed(domestic);
    expected.order_status = "PAYMENT_FAILED";
    expected.events[0].letter = core::LetterStatus::PROCESSED;
    expected.events[0].reason = core::LetterReason::NON_RETRYABLE_ERROR;
    expected.calls[3] = charge(domestic.id).ended(core::Outcome::rejected, 402);
    expected.calls.push_back(cancel_shipping(Parcel::domestic));
    expected.calls.push_back(release());
    expected.standing = {};
    return expected;
}

struct Spoiled {
    const char* what;
    void (*spoil)(Evidence& evidence);
    const char* found; ///< part of the line that must say so
};

core::StepResult& row(Evidence& evidence, std::size_t index)
{
    return evidence.story[0].results[index];
}

const Spoiled spoiled[] = {
    {"the order's status", [](Evidence& e) { e.order_status = "CONFIRMED"; }, "order_status"},
    {"the event's status", [](Evidence& e) { e.story[0].event.status = core::EventStatus::FAILED; },
     "status"},
    {"the event's type", [](Evidence& e) { e.story[0].event.type = "Other"; }, "type"},
    {"a missing event", [](Evidence& e) { e.story.clear(); }, "number of events"},
    {"moved_to_dlq", [](Evidence& e) { e.story[0].moved_to_dlq = false; }, "moved_to_dlq"},
    {"a missing letter", [](Evidence& e) { e.story[0].letter.reset(); }, "letter"},
    {"the letter's status",
     [](Evidence& e) { e.story[0].letter->status = core::LetterStatus::FAILED; }, "letter"},
    {"the letter's reason",
     [](Evidence& e) { e.story[0].letter->reason = core::LetterReason::POISONED; }, "reason"},
    {"a missing row", [](Evidence& e) { e.story[0].results.pop_back(); },
     "expected inventory.revert, attempt 1, there is none"},
    {"a row too many",
     [](Evidence& e) {
         core::StepResult again = row(e, 5);
         again.id.value += 1;
         e.story[0].results.push_back(again);
     },
     "expected none, there is inventory.revert"},
    {"undone in the wrong order", [](Evidence& e) { std::swap(row(e, 4).id, row(e, 5).id); },
     "expected shipping.revert"},
    {"an attempt", [](Evidence& e) { row(e, 0).attempt = 2; }, "inventory, attempt 2"},
    {"an outcome", [](Evidence& e) { row(e, 3).outcome = core::Outcome::failed; }, "outcome"},
    {"an HTTP status", [](Evidence& e) { row(e, 3).response_status = 500; }, "response_status"},
    {"a method", [](Evidence& e) { row(e, 5).http_method = "POST"; }, "method"},
    {"the other route",
     [](Evidence& e) { row(e, 3).endpoint_url = "http://127.0.0.1:9000/api/billing/other"; },
     "address"},
    {"an undo of something else",
     [](Evidence& e) {
         row(e, 5).endpoint_url = "http://127.0.0.1:9000/api/inventory/another/release";
     },
     "address"},
    {"a row of another event", [](Evidence& e) { row(e, 1).event_id.value += 1; }, "event"},
    {"a row on another's behalf", [](Evidence& e) { row(e, 4).cause.value += 1; }, "on behalf of"},
    {"a place in the fan-out", [](Evidence& e) { row(e, 2).fanout_order = 0; }, "fanout_order"},
    {"a call that the rows don't know", [](Evidence& e) { ++e.ledger.entries[2].seen; },
     "times seen"},
    {"a call that never arrived", [](Evidence& e) { e.ledger.entries.pop_back(); },
     "it was never seen"},
    {"a key that nobody should use",
     [](Evidence& e) {
         e.ledger.entries.push_back(e.ledger.entries.back());
         e.ledger.entries.back().key = "uuid-101:billing.revert";
     },
     "expected no key"},
    {"an effect of a refused call", [](Evidence& e) { e.ledger.entries[3].effect_sequence = 4; },
     "took effect"},
    {"a success without effect", [](Evidence& e) { e.ledger.entries[5].effect_sequence = 0; },
     "took effect"},
    {"another body under the same key",
     [](Evidence& e) { e.ledger.entries[0].body_changed = true; }, "body changed"},
    {"another service", [](Evidence& e) { e.ledger.entries[3].action = "highValue.process"; },
     "action"},
    {"effects undone in the wrong order, by the ledger",
     [](Evidence& e) {
         std::swap(e.ledger.entries[4].first_sequence, e.ledger.entries[5].first_sequence);
         std::swap(e.ledger.entries[4].last_sequence, e.ledger.entries[5].last_sequence);
     },
     "it came before"},
    {"something left in force", [](Evidence& e) { e.ledger.standing.shipped = 1; },
     "in force at the services"},
};

TEST(Judge, finds_nothing_where_all_is_as_it_must_be)
{
    EXPECT_THAT(judge(undone(), evidence_of(undone(), domestic.id)).lines(), IsEmpty());
}

TEST(Judge, finds_each_single_thing_that_is_wrong_and_says_what)
{
    for (const Spoiled& one : spoiled) {
        Evidence evidence = evidence_of(undone(), domestic.id);
        one.spoil(evidence);
        const Findings findings = judge(undone(), evidence);
        EXPECT_THAT(findings.lines(), testing::Contains(HasSubstr(one.found))) << one.what;
    }
}

TEST(Judge, says_what_was_expected_and_what_is_there)
{
    Evidence evidence = evidence_of(undone(), domestic.id);
    evidence.order_status = "PENDING";
    const Findings findings = judge(undone(), evidence);
    ASSERT_THAT(findings.lines(), SizeIs(1));
    EXPECT_EQ(findings.lines()[0],
              "orders.order_status: expected PAYMENT_FAILED, there is PENDING");
}

} // namespace
} // namespace sagabox::app::once
