#include "app/once/scenario.hpp"

namespace sagabox::app::once {

namespace {

/// The first notification is slow, so that the second change comes while it is under way.
Stage::Scripted slow_notification(std::int64_t)
{
    return {"notifications.send",
            json::Object::from_members({{"hang", "300ms"}, {"effect", true}})};
}

Result<void> play_two(Stage& stage)
{
    const Result<Order> order =
        stage.place({.customer = "grace", .amount = "64.00"}, slow_notification);
    if (!order) {
        return fail(order.error());
    }
    Result<void> done = stage.await_end(*order, 1);
    for (const char* status : {"SHIPPED", "DELIVERED"}) {
        if (done) {
            done = stage.set_status(*order, status);
        }
    }
    return done ? stage.await_end(*order, 3) : done;
}

Findings judge_two(const Order& order, const Evidence& evidence)
{
    Expected expected = confirmed(order);
    expected.order_status = "DELIVERED";
    for (int i = 0; i < 2; ++i) {
        expected.events.push_back({.type = "OrderStatusUpdated", .letter = {}, .reason = {}});
    }
    expected.calls.push_back(notify("shipping-confirmation").of(1, 1));
    expected.calls.push_back(notify("review-request").of(2, 2));
    expected.standing.notified = 2;
    return judge(expected, evidence);
}

} // namespace

Scenario two_updates()
{
    return {"Two quick changes of status",
            "The second comes while the first is being told; both are told, in order, each by the "
            "route of its own status.",
            play_two, judge_two};
}

} // namespace sagabox::app::once
