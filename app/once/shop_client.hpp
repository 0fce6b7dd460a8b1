#pragma once

#include "app/once/evidence.hpp"
#include "app/once/order.hpp"
#include "base/fault.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <asio/io_context.hpp>

namespace sagabox::app::once {

/// The shop and its simulated services as anybody outside uses them: over HTTP. Each call waits for
/// its answer, ten seconds at most; an answer that is no success is a fault that quotes it.
class ShopClient {
public:
    /// `url`: scheme, host and port. `context` must outlive the client and be run by nobody else.
    ShopClient(asio::io_context& context, std::string url);

    /// The new order's id.
    [[nodiscard]] Result<std::int64_t> place(const NewOrder& order);
    [[nodiscard]] Result<void> set_status(std::int64_t order, std::string_view status);
    [[nodiscard]] Result<void> cancel(std::int64_t order);
    [[nodiscard]] Result<std::string> order_status(std::int64_t order);

    /// Has a service give `answer`, once, to the next call about that order.
    [[nodiscard]] Result<void> script(std::string_view action, std::int64_t order,
                                      json::Object answer);
    [[nodiscard]] Result<Ledger> ledger(std::int64_t order);

private:
    [[nodiscard]] Result<json::Value> call(std::string_view method, std::string_view path,
                                           const std::optional<json::Value>& body = std::nullopt);

    asio::io_context& context_;
    std::string url_;
};

} // namespace sagabox::app::once
