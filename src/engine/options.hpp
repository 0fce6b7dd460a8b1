#pragma once

#include "pg/connection.hpp"
#include "store/claims.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace sagabox::engine {

/// How a relay works: the contract's `outbox` section, less what the plan holds.
struct Options {
    pg::Options database;
    std::optional<std::string> listen_url; ///< a direct one for LISTEN, past a pooler

    int workers = 3;
    int batch_size = 100;     ///< events taken per claim
    int max_in_flight = 1000; ///< sagas that one worker has under way
    std::chrono::milliseconds poll_interval{2'000};
    std::chrono::milliseconds letter_poll_interval{2'000};
    std::chrono::milliseconds lease_duration{30'000};
    std::chrono::milliseconds cleanup_interval{60'000};
    std::chrono::milliseconds shutdown_grace{10'000};
    bool use_listen_notify = true;
    bool take_expired = true; ///< `enableStaleEventCleanup`
    store::Claims::Order order = store::Claims::Order::aggregate;
};

} // namespace sagabox::engine
