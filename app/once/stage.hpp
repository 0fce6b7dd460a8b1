#pragma once

#include "app/once/evidence.hpp"
#include "app/once/order.hpp"
#include "app/once/shop_client.hpp"
#include "base/fault.hpp"
#include "pg/connection.hpp"
#include "json/value.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>

namespace sagabox::app::once {

/// What a scenario is played on: the shop over HTTP, and the stored rows.
class Stage {
public:
    /// Waits for that long; false when the user has asked to stop.
    using Pause = std::function<bool(std::chrono::milliseconds)>;

    /// Connects to the database.
    [[nodiscard]] static Result<std::unique_ptr<Stage>> open(const std::string& shop_url,
                                                             pg::Options database, Pause pause);

    /// An answer that one service is to give once to an order.
    struct Scripted {
        std::string action;
        json::Object answer;
    };
    /// Answers for the order of that id.
    using Script = Scripted (*)(std::int64_t order);

    [[nodiscard]] Result<Order> place(const NewOrder& asked);

    /// Places an order whose answers are scripted before it exists, so that the relay cannot come
    /// first. Needs an order placed before: ids follow one another.
    [[nodiscard]] Result<Order> place(const NewOrder& asked, Script script);

    [[nodiscard]] Result<void> set_status(const Order& order, const std::string& status);
    [[nodiscard]] Result<void> cancel(const Order& order);

    /// Waits until the order has that many events and nothing of them is left to do. A fault when
    /// that takes too long, or when the user has asked to stop.
    [[nodiscard]] Result<void> await_end(const Order& order, std::size_t events);

    /// Waits until a call of that action about the order has arrived, answered or not.
    [[nodiscard]] Result<void> await_call(const Order& order, const std::string& action);

    [[nodiscard]] Result<Evidence> evidence(const Order& order);

    /// Orders placed since this was last called.
    [[nodiscard]] std::vector<Order> take_placed() { return std::exchange(placed_, {}); }

    [[nodiscard]] bool user_wants_to_stop() const;

private:
    Stage(const std::string& shop_url, Pause pause);

    [[nodiscard]] Result<void> await(const std::string& what,
                                     const std::function<Result<bool>()>& is_so);
    [[nodiscard]] Result<store::Story> story(const Order& order);

    asio::io_context context_;
    ShopClient shop_;
    std::unique_ptr<pg::Connection> connection_;
    Pause pause_;
    std::vector<Order> placed_;
    std::int64_t last_order_ = 0;
};

} // namespace sagabox::app::once
