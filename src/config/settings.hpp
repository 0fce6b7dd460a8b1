#pragma once

#include "base/fault.hpp"
#include "base/log.hpp"
#include "core/plan.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::config {

/// `database`
struct Database {
    std::optional<std::string> url;        ///< none: an embedded PostgreSQL
    std::optional<std::string> listen_url; ///< a direct one for LISTEN, past a pooler
    std::string schema = "public";
    bool prepared_statements = true;
};

/// `outbox`, less what belongs to the plan
struct Relay {
    std::chrono::milliseconds poll_interval{2'000};
    int batch_size = 100;
    int pool_size = 3;
    int max_in_flight = 1'000; ///< sagas that one worker has under way at once
    bool use_listen_notify = true;
    bool stale_event_cleanup = true;
    std::chrono::milliseconds lease_duration{30'000};
    std::chrono::milliseconds cleanup_interval{60'000};
    std::chrono::milliseconds shutdown_grace{10'000};
    std::chrono::milliseconds retention{std::chrono::hours{24 * 7}};
    enum class Ordering : std::uint8_t { aggregate, none } ordering = Ordering::aggregate;
    std::chrono::milliseconds letter_poll_interval{2'000}; ///< `outbox.dlq.pollInterval`
};

/// `http`: where the API, the console and (in the demo) the shop answer
struct Http {
    std::string address = "127.0.0.1";
    std::uint16_t port = 9000;
    std::optional<std::string> token; ///< `http.auth.token`; needed beyond loopback
};

/// `health`
struct Health {
    std::chrono::milliseconds max_age{std::chrono::minutes{15}};
    std::chrono::milliseconds destination_down_after{std::chrono::minutes{5}};
    std::chrono::milliseconds stuck_after{std::chrono::seconds{30}};
};

/// `metrics`
struct Metrics {
    std::chrono::milliseconds survey_interval{std::chrono::seconds{15}};
};

/// `network`
struct Network {
    std::vector<std::string> deny;
    std::vector<std::string> allow;
};

/// `email`, less what belongs to the plan: what is taken in, and how long it is kept
struct Mail {
    std::string from;
    std::vector<std::string> document_types; ///< empty: any
    std::vector<std::string> attachment_types;
    int max_attachments = 10;
    std::int64_t max_attachment_bytes = std::int64_t{10} << 20;
    std::int64_t max_total_bytes = std::int64_t{25} << 20;
    int max_recipients = 100;
    std::chrono::milliseconds retention{std::chrono::hours{24 * 7}};
    std::optional<std::chrono::milliseconds> failed_retention; ///< none: until a person acts
    std::int64_t memory = std::int64_t{32} << 20; ///< of one worker, for messages under way
};

/// Everything that one configuration file says.
struct Settings {
    Database database;
    Relay relay;
    Http http;
    Health health;
    Metrics metrics;
    log::Options log;
    Network network;
    std::optional<Mail> mail; ///< present exactly when the plan has `mail`
    std::shared_ptr<const core::Plan> plan;

    /// `service.failure.rates`, flattened: `billing.charge` -> 0.3. The demo's, not the relay's.
    std::map<std::string, double> failure_rates;

    /// Every string that came from an environment variable or stands under a name that says it is a
    /// secret: never to be printed. The log's redactor is given this list.
    std::vector<std::string> secrets;
};

/// One thing that is wrong, or that deserves a word.
struct Problem {
    std::string place; ///< `file:line: path.of.the.key`, as far as it is known
    std::string text;  ///< what is wrong, and the cure
};

/// What came of reading a file: settings, or every problem at once.
struct Loaded {
    std::optional<Settings> settings; ///< present exactly when `problems` is empty
    std::vector<Problem> problems;
};

/// Reads and validates a file, with its includes and the environment. Connects to nothing.
[[nodiscard]] Loaded load_file(const std::string& path);

/// The same for text that stands in for a file called `name`: tests, and the demo's own file.
[[nodiscard]] Loaded load_text(const std::string& text, const std::string& name);

/// What an empty file gives: every default, no destinations.
[[nodiscard]] Settings defaults();

} // namespace sagabox::config
