#include "app/once/scenario.hpp"

namespace sagabox::app::once {

namespace {

using core::Direction;
using core::Outcome;
using std::chrono::milliseconds;

constexpr milliseconds asked_pause{1'000};
constexpr milliseconds billing_timeout{2'000};

Result<void> await_order(Stage& stage, const Result<Order>& order)
{
    return order ? stage.await_end(*order, 1) : fail(order.error());
}

Result<void> play_refused(Stage& stage)
{
    return await_order(stage, stage.place({.customer = "declined-card",
                                           .amount = "20.00",
                                           .parcel = Parcel::international}));
}

Findings judge_refused(const Order& order, const Evidence& evidence)
{
    const Parcel parcel = order.asked.parcel;
    Expected expected = confirmed(order);
    expected.order_status = "PAYMENT_FAILED";
    expected.events.front().letter = core::LetterStatus::PROCESSED;
    expected.events.front().reason = core::LetterReason::NON_RETRYABLE_ERROR;
    expected.calls.back() = charge(order.id).ended(Outcome::rejected, 402);
    expected.calls.push_back(cancel_shipping(parcel));
    expected.calls.push_back(release());
    expected.standing = {};
    return judge(expected, evidence);
}

Stage::Scripted busy(std::int64_t)
{
    return {"fraudCheck.check", json::Object::from_members(
                                    {{"status", json::Value::integer(429)}, {"retryAfter", "1"}})};
}

Result<void> play_busy(Stage& stage)
{
    return await_order(stage, stage.place({.customer = "ada", .amount = "15.10"}, busy));
}

Findings judge_busy(const Order& order, const Evidence& evidence)
{
    Expected expected = confirmed(order);
    expected.calls[1] = check_fraud().ended(Outcome::failed, 429);
    expected.calls.insert(expected.calls.begin() + 2, check_fraud().tried_again(2));
    Findings findings = judge(expected, evidence);

    const core::StepResult* first = find_row(evidence, "fraudCheck", Direction::forward, 1);
    const core::StepResult* second = find_row(evidence, "fraudCheck", Direction::forward, 2);
    if (first != nullptr && second != nullptr) {
        findings.compare("pause that the answer asked for, ms", asked_pause.count(),
                         first->retry_after.value_or(milliseconds(0)).count());
        const auto paused = second->published_at - first->published_at;
        if (paused < asked_pause) {
            findings.add(fmt::format("pause before attempt 2: expected 1000 ms at least, there "
                                     "are {}",
                                     paused.count() / 1000));
        }
    }
    return findings;
}

Stage::Scripted too_late(std::int64_t order)
{
    return {charge(order).action, json::Object::from_members({{"hang", "3s"}, {"effect", true}})};
}

Result<void> play_too_late(Stage& stage)
{
    return await_order(stage, stage.place({.customer = "grace", .amount = "99.99"}, too_late));
}

Findings judge_too_late(const Order& order, const Evidence& evidence)
{
    Expected expected = confirmed(order);
    expected.calls.back() = charge(order.id).ended(Outcome::unknown, std::nullopt);
    expected.calls.push_back(charge(order.id).tried_again(2));
    Findings findings = judge(expected, evidence);

    const core::StepResult* first = find_row(evidence, "billing", Direction::forward, 1);
    if (first != nullptr && first->duration < billing_timeout) {
        findings.add(fmt::format("billing, attempt 1: expected to wait 2000 ms at least, it waited "
                                 "{}",
                                 first->duration.count()));
    }
    const LedgerEntry* charged =
        evidence.story.empty()
            ? nullptr
            : evidence.ledger.find(key_of(evidence.story[0], "billing", Direction::forward));
    if (charged != nullptr) {
        findings.compare("ledger, arrival at which billing took effect", charged->first_sequence,
                         charged->effect_sequence);
    }
    return findings;
}

} // namespace

Scenario refused_payment()
{
    return {"Payment that is refused for good",
            "Shipping is cancelled before inventory is released; the fraud check has nothing to "
            "undo and is passed over.",
            play_refused, judge_refused};
}

Scenario busy_service()
{
    return {"Service that is too busy",
            "The fraud check answers 429 with Retry-After: 1; a second later it is asked again, "
            "and the reservation is not repeated.",
            play_busy, judge_busy};
}

Scenario answer_too_late()
{
    return {"Charge whose answer comes too late",
            "The first attempt charges and times out; the second carries the same key, so the card "
            "is charged once.",
            play_too_late, judge_too_late};
}

} // namespace sagabox::app::once
