#include "app/once/stage.hpp"

#include "app/blocking.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sagabox::app::once {

namespace {

constexpr std::chrono::seconds query_timeout{10};
constexpr std::chrono::seconds longest_wait{20};
constexpr std::chrono::milliseconds poll_interval{20};

} // namespace

Stage::Stage(const std::string& shop_url, Pause pause)
    : shop_(context_, shop_url), pause_(std::move(pause))
{
}

Result<std::unique_ptr<Stage>> Stage::open(const std::string& shop_url, pg::Options database,
                                           Pause pause)
{
    std::unique_ptr<Stage> stage(new Stage(shop_url, std::move(pause)));
    Result<std::unique_ptr<pg::Connection>> opened = run_blocking(
        stage->context_, pg::Connection::open(stage->context_.get_executor(), std::move(database),
                                              Deadline::after(query_timeout)));
    if (!opened) {
        return fail(std::move(opened.error()));
    }
    stage->connection_ = std::move(*opened);
    return stage;
}

Result<Order> Stage::place(const NewOrder& asked)
{
    const Result<std::int64_t> id = shop_.place(asked);
    if (!id) {
        return fail(id.error());
    }
    last_order_ = *id;
    placed_.push_back({*id, asked});
    return placed_.back();
}

Result<Order> Stage::place(const NewOrder& asked, Script script)
{
    const std::int64_t expected = last_order_ + 1;
    const Scripted scripted = script(expected);
    const Result<void> told = shop_.script(scripted.action, expected, scripted.answer);
    if (!told) {
        return fail(told.error());
    }
    Result<Order> order = place(asked);
    if (order && order->id != expected) {
        return fail(Fault::Kind::refused,
                    fmt::format("The shop was to place order {} and placed {}: somebody else "
                                "orders here as well.",
                                expected, order->id));
    }
    return order;
}

Result<void> Stage::set_status(const Order& order, const std::string& status)
{
    return shop_.set_status(order.id, status);
}

Result<void> Stage::cancel(const Order& order)
{
    return shop_.cancel(order.id);
}

Result<void> Stage::await_end(const Order& order, std::size_t events)
{
    return await(fmt::format("the end of order {}", order.id), [&]() -> Result<bool> {
        const Result<store::Story> now = story(order);
        if (!now) {
            return fail(now.error());
        }
        return now->size() >= events && store::has_ended(*now);
    });
}

Result<void> Stage::await_call(const Order& order, const std::string& action)
{
    return await(fmt::format("a call of {} for order {}", action, order.id), [&]() -> Result<bool> {
        const Result<Ledger> now = shop_.ledger(order.id);
        if (!now) {
            return fail(now.error());
        }
        return std::any_of(now->entries.begin(), now->entries.end(),
                           [&](const LedgerEntry& entry) { return entry.action == action; });
    });
}

Result<Evidence> Stage::evidence(const Order& order)
{
    Result<store::Story> stored = story(order);
    if (!stored) {
        return fail(std::move(stored.error()));
    }
    Result<Ledger> ledger = shop_.ledger(order.id);
    if (!ledger) {
        return fail(std::move(ledger.error()));
    }
    Result<std::string> status = shop_.order_status(order.id);
    if (!status) {
        return fail(std::move(status.error()));
    }
    return Evidence{.order = order.id,
                    .order_status = std::move(*status),
                    .story = std::move(*stored),
                    .ledger = std::move(*ledger)};
}

bool Stage::user_wants_to_stop() const
{
    return !pause_(std::chrono::milliseconds(0));
}

Result<void> Stage::await(const std::string& what, const std::function<Result<bool>()>& is_so)
{
    const Deadline deadline = Deadline::after(longest_wait);
    for (;;) {
        const Result<bool> now = is_so();
        if (!now) {
            return fail(now.error());
        }
        if (*now) {
            return {};
        }
        if (deadline.passed()) {
            return fail(Fault::Kind::timeout,
                        fmt::format("waited {} s in vain for {}", longest_wait.count(), what));
        }
        if (!pause_(poll_interval)) {
            return fail(Fault::Kind::stopped, "stopped by the user");
        }
    }
}

Result<store::Story> Stage::story(const Order& order)
{
    return run_blocking(context_, store::read_story(*connection_, std::to_string(order.id),
                                                    Deadline::after(query_timeout)));
}

} // namespace sagabox::app::once
