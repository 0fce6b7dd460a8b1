#pragma once

#include "core/retry_after.hpp"
#include "core/template.hpp"
#include "json/path.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::core {

/// Comparison of a route's condition (contract section 4).
enum class Operator : std::uint8_t { eq, ne, gt, gte, lt, lte, contains, exists };

/// When a route is taken: what its path selects, compared with a value.
struct Condition {
    json::Path path;
    Operator op;
    std::string value;
    std::string previous_destination; ///< whose stored answer is looked at; empty: the request body
};

/// A status code or a class of them (`5xx`).
struct StatusRange {
    int first;
    int last;
};

/// A route's own reading of status codes; what it does not name is read by the contract's rules.
struct Classification {
    std::vector<StatusRange> success;
    std::vector<StatusRange> retry;
    std::vector<StatusRange> reject;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

/// How a receiver can tell that a request is ours: by Standard Webhooks, with a shared key.
struct Signing {
    std::string key; ///< bytes; never shown
};

/// What a TLS connection trusts and shows, as paths of PEM files; empty: the system's authorities,
/// and no certificate of ours.
struct Tls {
    std::string ca_file;
    std::string certificate_file;
    std::string key_file;
    std::string key_password; ///< never shown
};

/// What is not kept of a call's bodies: `redacted_text` is stored where one of these matches.
struct Redaction {
    std::vector<json::Path> request;
    std::vector<json::Path> response;
};

/// What undoes a step.
struct Revert {
    std::string method = "DELETE";
    UrlTemplate url;
    std::optional<BodyTemplate> payload;
    std::vector<Extraction> extract;
    Headers headers;
    std::chrono::milliseconds timeout{30'000};
    Classification classify;
    RetryAfterRule retry_after;
    bool follow_redirects = false;
    std::optional<Signing> sign;    ///< none: requests are not signed
    std::shared_ptr<const Tls> tls; ///< null: as the system has it
    Redaction redact;
};

/// One URL of a destination.
struct Route {
    std::string method = "POST";
    UrlTemplate url;
    std::optional<Condition> condition; ///< none: always taken
    std::optional<Revert> revert;       ///< none: nothing to undo
    Headers headers;
    std::chrono::milliseconds timeout{30'000};
    Classification classify;
    RetryAfterRule retry_after;
    bool follow_redirects = false;
    std::optional<Signing> sign;    ///< none: requests are not signed
    std::shared_ptr<const Tls> tls; ///< null: as the system has it
    Redaction redact;
};

/// What sends a step: an HTTP call, or the providers of `Plan::mail`.
enum class Means : std::uint8_t { http, mail };

/// When a destination that fails is left alone for a while.
struct BreakerRule {
    int failures = 5; ///< in a row, as one worker sees them
    std::chrono::milliseconds open_for{30'000};
};

/// How much a destination is given to bear. What does not fit waits, and no retry is spent on it.
struct Limits {
    std::optional<int> max_concurrent;     ///< calls of one relay under way at once
    std::optional<double> rate_per_second; ///< calls that all relays together begin
    std::optional<BreakerRule> breaker;
};

struct Destination {
    std::string name;
    std::vector<Route> routes;         ///< the first whose condition holds is taken; never empty
    Means means = Means::http;         ///< with mail, one bare route stands for all providers
    std::optional<Limits> limits = {}; ///< none: it takes whatever comes
};

enum class BackoffKind : std::uint8_t { exponential, linear };

struct Backoff {
    BackoffKind kind = BackoffKind::exponential;
    std::chrono::milliseconds base{2'000};
    std::chrono::milliseconds max{300'000};
    double jitter = 0; ///< 0 … 1: the delay is spread over ±jitter of itself
};

/// SQL that a saga's end runs in its own transaction; empty: none.
struct OutcomeSql {
    std::string completed;
    std::string compensated;
    std::string failed;
};

struct MailPlan;

/// Everything that configuration says about what is to be called, in the form that `decide` reads.
/// Immutable once made; shared by all workers.
struct Plan {
    std::map<std::string, Destination, std::less<>> destinations;
    std::map<std::string, std::vector<std::string>, std::less<>> fanouts; ///< by event type
    std::map<std::string, OutcomeSql, std::less<>> outcomes;              ///< by event type
    int max_retries = 3;        ///< retries after the first attempt, forward
    int revert_max_retries = 3; ///< the same for reverts
    Backoff backoff;
    std::chrono::milliseconds max_retry_after{3'600'000};
    std::shared_ptr<const MailPlan> mail; ///< null: no e-mail is configured
    std::vector<std::string> secrets;     ///< never to be stored or shown; longest first

    /// The destinations that an event of this type goes to, in order: its fan-out, else the
    /// destination of its own name, else nothing.
    [[nodiscard]] std::optional<std::vector<const Destination*>>
    steps_of(std::string_view event_type) const;

    [[nodiscard]] const Destination* destination(std::string_view name) const;

    /// A URL as it may be stored and shown: without userinfo, values of the query, and secrets in
    /// its path. An address that is a secret as a whole, since it came from the environment, keeps
    /// its host and path: who reads a result must learn what was called.
    [[nodiscard]] std::string shown_url(std::string_view url) const;
};

} // namespace sagabox::core
