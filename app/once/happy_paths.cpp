#include "app/once/scenario.hpp"

namespace sagabox::app::once {

namespace {

enum class Risk : std::uint8_t { low, high };

/// Places orders until one has that risk, since the risk comes with the id: two at most, as ids
/// follow one another. Each is a happy path.
Result<void> place_with_risk(Stage& stage, const NewOrder& asked, Risk risk)
{
    for (;;) {
        const Result<Order> order = stage.place(asked);
        if (!order) {
            return fail(order.error());
        }
        const Result<void> ended = stage.await_end(*order, 1);
        if (!ended || is_high_risk(order->id) == (risk == Risk::high)) {
            return ended;
        }
    }
}

Result<void> play_high_risk(Stage& stage)
{
    return place_with_risk(
        stage, {.customer = "grace", .amount = "1250.00", .parcel = Parcel::international},
        Risk::high);
}

Result<void> play_low_risk(Stage& stage)
{
    return place_with_risk(stage, {.customer = "ada", .amount = "49.90"}, Risk::low);
}

Findings judge_confirmed(const Order& order, const Evidence& evidence)
{
    return judge(confirmed(order), evidence);
}

} // namespace

Expected confirmed(const Order& order)
{
    Expected expected;
    expected.order_status = "CONFIRMED";
    expected.events = {{.type = "OrderCreated", .letter = {}, .reason = {}}};
    expected.calls = {reserve(), check_fraud(), ship(order.asked.parcel), charge(order.id)};
    expected.standing = {.reserved = 1, .shipped = 1, .charged = 1};
    return expected;
}

Scenario high_risk_order()
{
    return {"International order with a high risk",
            "The fraud check answers 75, so high-value processing charges instead of billing.",
            play_high_risk, judge_confirmed};
}

Scenario low_risk_order()
{
    return {"Domestic order with a low risk",
            "Other routes for two steps: domestic shipping, and plain billing for a risk of 25.",
            play_low_risk, judge_confirmed};
}

} // namespace sagabox::app::once
