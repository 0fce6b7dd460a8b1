#include "app/once/scenario.hpp"

#include "app/once/evidence_fixture.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::app::once {
namespace {

using core::Outcome;
using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const Order order{.id = 8, .asked = {}};

Evidence busy_evidence(milliseconds pause)
{
    Expected expected = confirmed(order);
    expected.calls[1] = check_fraud().ended(Outcome::failed, 429);
    expected.calls.insert(expected.calls.begin() + 2, check_fraud().tried_again(2));
    Evidence evidence = evidence_of(expected, order.id);
    evidence.story[0].results[1].retry_after = milliseconds(1'000);
    evidence.story[0].results[2].published_at = DbTime{pause};
    return evidence;
}

Evidence late_evidence(milliseconds waited)
{
    Expected expected = confirmed(order);
    expected.calls[3] = charge(order.id).ended(Outcome::unknown, std::nullopt);
    expected.calls.push_back(charge(order.id).tried_again(2));
    Evidence evidence = evidence_of(expected, order.id);
    evidence.story[0].results[3].duration = waited;
    LedgerEntry& charged = evidence.ledger.entries[3];
    charged.effect_sequence = charged.first_sequence;
    return evidence;
}

TEST(Scenarios, of_orders_that_come_through_accept_a_confirmed_order)
{
    const Evidence evidence = evidence_of(confirmed(order), order.id);
    EXPECT_THAT(low_risk_order().judge(order, evidence).lines(), IsEmpty());
    EXPECT_THAT(high_risk_order().judge(order, evidence).lines(), IsEmpty());
}

TEST(Scenarios, of_every_other_end_refuse_an_order_to_which_nothing_happened)
{
    const Evidence evidence = evidence_of(confirmed(order), order.id);
    for (const Scenario& scenario :
         {refused_payment(), busy_service(), answer_too_late(), cancel_after_success(),
          second_cancel(), cancel_under_way(), two_updates()}) {
        EXPECT_FALSE(scenario.judge(order, evidence).empty()) << scenario.name;
    }
}

TEST(Scenarios, judge_the_route_by_the_orders_own_risk)
{
    const Order odd{.id = 9, .asked = {}};
    const Evidence even_route = evidence_of(confirmed(order), odd.id);
    EXPECT_THAT(high_risk_order().judge(odd, even_route).lines(), Contains(HasSubstr("address")));
}

TEST(Scenarios, of_a_busy_service_want_the_pause_that_was_asked_for)
{
    const Scenario scenario = busy_service();
    EXPECT_THAT(scenario.judge(order, busy_evidence(milliseconds(1'000))).lines(), IsEmpty());
    EXPECT_THAT(scenario.judge(order, busy_evidence(milliseconds(999))).lines(),
                Contains(HasSubstr("pause before attempt 2")));
}

TEST(Scenarios, of_a_late_answer_want_the_effect_at_the_first_attempt)
{
    const Scenario scenario = answer_too_late();
    Evidence evidence = late_evidence(milliseconds(2'001));
    EXPECT_THAT(scenario.judge(order, evidence).lines(), IsEmpty());

    LedgerEntry& charged = evidence.ledger.entries[3];
    charged.effect_sequence = charged.last_sequence;
    EXPECT_THAT(scenario.judge(order, evidence).lines(),
                Contains(HasSubstr("arrival at which billing took effect")));
}

TEST(Scenarios, of_a_late_answer_want_the_whole_time_out_to_be_waited)
{
    EXPECT_THAT(answer_too_late().judge(order, late_evidence(milliseconds(3))).lines(),
                Contains(HasSubstr("2000 ms at least")));
}

} // namespace
} // namespace sagabox::app::once
