#pragma once

#include "base/address_rules.hpp"
#include "pg/connection.hpp"
#include "store/claims.hpp"
#include "store/mail.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace sagabox::engine {

/// What a relay does about mail besides sending it.
struct MailOptions {
    store::MailRules rules; ///< put in force at its start
    std::chrono::milliseconds retention{std::chrono::hours{24 * 7}};
    std::optional<std::chrono::milliseconds> failed_retention; ///< none: until a person acts
    std::size_t memory = std::size_t{32} << 20; ///< of messages that one worker holds at once
};

/// How a relay works: the contract's `outbox` section, less what the plan holds.
struct Options {
    pg::Options database;
    std::optional<std::string> listen_url; ///< a direct one for LISTEN, past a pooler
    AddressRules network;                  ///< whom calls and mail may connect to

    int workers = 3;
    int batch_size = 100;     ///< events taken per claim
    int max_in_flight = 1000; ///< sagas that one worker has under way
    std::chrono::milliseconds poll_interval{2'000};
    std::chrono::milliseconds letter_poll_interval{2'000};
    std::chrono::milliseconds lease_duration{30'000};
    std::chrono::milliseconds cleanup_interval{60'000};
    std::chrono::milliseconds shutdown_grace{10'000};
    std::chrono::milliseconds retention{std::chrono::hours{24 * 7}};
    std::chrono::milliseconds survey_interval{15'000}; ///< how often the outbox is looked over
    std::optional<MailOptions> mail;                   ///< none: no e-mail is configured
    bool use_listen_notify = true;
    bool take_expired = true; ///< `enableStaleEventCleanup`
    store::Claims::Order order = store::Claims::Order::aggregate;
};

} // namespace sagabox::engine
