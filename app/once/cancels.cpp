#include "app/once/scenario.hpp"

namespace sagabox::app::once {

namespace {

using core::EventStatus;

/// The order is confirmed, and then cancelled so many times, each time to the end.
Result<void> cancel_confirmed(Stage& stage, const NewOrder& asked, int times)
{
    const Result<Order> order = stage.place(asked);
    if (!order) {
        return fail(order.error());
    }
    std::size_t events = 1;
    Result<void> ended = stage.await_end(*order, events);
    for (int i = 0; i < times && ended; ++i) {
        ended = stage.cancel(*order);
        if (ended) {
            ended = stage.await_end(*order, ++events);
        }
    }
    return ended;
}

/// A confirmed order, undone by its first cancel.
Expected undone(const Order& order)
{
    const Parcel parcel = order.asked.parcel;
    Expected expected = confirmed(order);
    expected.order_status = "CANCELLED";
    expected.events.push_back({.type = "!OrderCreated", .letter = {}, .reason = {}});
    expected.calls.push_back(give_back(order.id).of(0, 1));
    expected.calls.push_back(cancel_shipping(parcel).of(0, 1));
    expected.calls.push_back(release().of(0, 1));
    expected.standing = {};
    return expected;
}

Result<void> play_after_success(Stage& stage)
{
    return cancel_confirmed(
        stage, {.customer = "grace", .amount = "310.00", .parcel = Parcel::international}, 1);
}

Findings judge_after_success(const Order& order, const Evidence& evidence)
{
    return judge(undone(order), evidence);
}

Result<void> play_second(Stage& stage)
{
    return cancel_confirmed(stage, {.customer = "ada", .amount = "12.00"}, 2);
}

Findings judge_second(const Order& order, const Evidence& evidence)
{
    Expected expected = undone(order);
    expected.events.push_back({.type = "!OrderCreated", .letter = {}, .reason = {}});
    return judge(expected, evidence);
}

Stage::Scripted slow_shipping(std::int64_t)
{
    return {ship(Parcel::domestic).action,
            json::Object::from_members({{"hang", "700ms"}, {"effect", true}})};
}

Result<void> play_under_way(Stage& stage)
{
    const Result<Order> order = stage.place({.customer = "ada", .amount = "75.25"}, slow_shipping);
    if (!order) {
        return fail(order.error());
    }
    const Result<void> called = stage.await_call(*order, ship(Parcel::domestic).action);
    if (!called) {
        return called;
    }
    const Result<void> cancelled = stage.cancel(*order);
    return cancelled ? stage.await_end(*order, 2) : cancelled;
}

Findings judge_under_way(const Order& order, const Evidence& evidence)
{
    const Parcel parcel = order.asked.parcel;
    Expected expected;
    expected.order_status = "CANCELLED";
    expected.events = {
        {.type = "OrderCreated", .status = EventStatus::CANCELLED, .letter = {}, .reason = {}},
        {.type = "!OrderCreated", .letter = {}, .reason = {}}};
    expected.calls = {reserve(), check_fraud(), ship(parcel), cancel_shipping(parcel).of(0, 1),
                      release().of(0, 1)};
    return judge(expected, evidence);
}

} // namespace

Scenario cancel_after_success()
{
    return {"Cancel of a confirmed order",
            "The charge is given back first, then shipping and inventory, each by what its own "
            "answer was.",
            play_after_success, judge_after_success};
}

Scenario second_cancel()
{
    return {"Second cancel of the same order",
            "The second !OrderCreated finds everything undone, makes no call, and is no error.",
            play_second, judge_second};
}

Scenario cancel_under_way()
{
    return {"Cancel while the order is being carried out",
            "It comes while shipping is being called: that call is waited for, billing is never "
            "called, and what was done is undone.",
            play_under_way, judge_under_way};
}

} // namespace sagabox::app::once
