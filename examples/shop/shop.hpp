#pragma once

#include "shop/message.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace shop {

/// The demo shop: an application that places orders and emits events through Sagabox's client
/// library, and the simulated services that those events go to.
///
/// Knows nothing of the relay but the client library and of no HTTP server: a host gives it
/// requests and sends its responses. Orders live in the database, the simulators' ledger in memory.
/// Thread-safe.
class Shop {
public:
    /// Connects only when it has to. `failure_rates` by action, `billing.charge` for example.
    Shop(std::string database_url, std::string schema, std::map<std::string, double> failure_rates,
         std::uint64_t seed);
    ~Shop();
    Shop(const Shop&) = delete;
    Shop& operator=(const Shop&) = delete;

    /// Makes the `orders` table where it is missing. The outbox's own tables are not the shop's
    /// business: `sagabox migrate` makes them. Throws when the database cannot be reached.
    void prepare();

    void set_failure_rates(const std::map<std::string, double>& rates);

    /// Never throws for a bad request or a database that is away: those are problem documents.
    /// Security headers are the host's.
    Response handle(const Request& request);

    /// The port of 127.0.0.1 at which the simulated SMTP provider listens.
    [[nodiscard]] std::uint16_t smtp_port() const;

    /// True for a path that the shop answers, be it with a 404 or 405.
    [[nodiscard]] static bool owns(std::string_view path);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace shop
