#include "config/declarations.hpp"

#include "config/mail_declarations.hpp"
#include "config/operating_declarations.hpp"
#include "config/spans.hpp"

#include <array>

namespace sagabox::config {

namespace {

using namespace spans;

constexpr Setting condition_settings[] = {
    {"jsonPath", Kind::json_path, "", "What is looked at (RFC 9535); of several nodes the first"},
    {"operator", Kind::choice, "eq", "How it is compared with `value`", 0, 0,
     "eq ne gt gte lt lte contains exists"},
    {"value", Kind::scalar, "", "Compared with; needed by every operator but `exists`"},
    {"previousDestination", Kind::text, "",
     "Look at the stored answer of this earlier destination instead of the request body"},
};
constexpr Section condition{"outbox.http.routes.*.condition", "When a route is taken.",
                            condition_settings};

constexpr Setting retry_after_settings[] = {
    {"headerName", Kind::header_name, "Retry-After", "Header that says how long to wait"},
    {"format", Kind::choice, "auto", "How it is written", 0, 0,
     "auto seconds milliseconds unix httpdate iso8601"},
    {"fromBody", Kind::boolean, "false", "Read it from the answer's body instead of a header"},
    {"jsonPath", Kind::json_path, "", "Where in the body; needed with `fromBody`"},
    {"fallbackSeconds", Kind::whole, "", "Wait of a 429 or 503 that names none; absent: `backoff`",
     0, 86'400},
};
constexpr Section retry_after{"outbox.http.routes.*.retryAfter",
                              "How a destination says when to come back.", retry_after_settings};

constexpr Setting classify_settings[] = {
    {"success", Kind::statuses, "", "Statuses that count as success"},
    {"retry", Kind::statuses, "", "Statuses to try again"},
    {"reject", Kind::statuses, "", "Statuses that end the attempt for good"},
};
constexpr Section classify{"outbox.http.routes.*.classify",
                           "A route's own reading of status codes, such as `success = [409]` or "
                           "`reject = [\"5xx\"]`. What it does not name keeps its usual meaning.",
                           classify_settings};

constexpr Setting sign_settings[] = {
    {"secret", Kind::secret, "",
     "`whsec_` and the base64 of 24 to 64 random bytes, shared with the receiver"},
};
constexpr Section sign{"outbox.http.routes.*.sign",
                       "Signs each request by Standard Webhooks: `webhook-id`, "
                       "`webhook-timestamp`, `webhook-signature`.",
                       sign_settings};

constexpr Setting tls_settings[] = {
    {"caFile", Kind::file, "", "PEM of the authorities to trust; absent: the system's"},
    {"certificateFile", Kind::file, "", "PEM of our certificate, with its chain"},
    {"keyFile", Kind::file, "", "PEM of its key; needed with `certificateFile`"},
    {"keyPassword", Kind::secret, "", "Where the key is encrypted"},
};
constexpr Section tls{"outbox.http.routes.*.tls",
                      "Whom an https connection trusts, and what it shows the other side (mTLS).",
                      tls_settings};

constexpr Setting redact_settings[] = {
    {"request", Kind::json_paths, "", "What is not kept of the body sent"},
    {"response", Kind::json_paths, "", "What is not kept of the answer"},
};
constexpr Section redact{"outbox.http.routes.*.redact",
                         "JSONPaths of what is stored as `[redacted]` in `aggregate_results`, and "
                         "shown so. The call itself is whole.",
                         redact_settings};

constexpr Setting revert_settings[] = {
    {"url", Kind::url, "", "Where; `{name}` stands for a value of `extract`"},
    {"method", Kind::method, "DELETE", "HTTP method"},
    {"extract", Kind::extraction, "",
     "Placeholder to `request:$.…`, `response:$.…` or `$.…` (the response)"},
    {"payload", Kind::body, "",
     "Body template, as text (`\"\"\"…\"\"\"`) or as HOCON; absent: no body"},
    {"headers", Kind::headers, "", "Further headers"},
    {"timeout", Kind::duration, "30 seconds", "Longest wait for the answer", 1, hour},
    {"retryAfter", Kind::section, "", "The route's, unless given", 0, 0, "", &retry_after},
    {"classify", Kind::section, "", "Its own reading of status codes", 0, 0, "", &classify},
    {"followRedirects", Kind::boolean, "false", "Follow 3xx answers"},
    {"sign", Kind::section, "", "The route's, unless given", 0, 0, "", &sign},
    {"tls", Kind::section, "", "The route's, unless given", 0, 0, "", &tls},
    {"redact", Kind::section, "", "What is not kept of its bodies", 0, 0, "", &redact},
};
constexpr Section revert{"outbox.http.routes.*.revert",
                         "The call that undoes the step. `{idempotencyKey}` is always known.",
                         revert_settings};

constexpr Setting route_settings[] = {
    {"url", Kind::url, "", "Where; `{name}` is filled from the event's `pathParams`"},
    {"method", Kind::method, "POST", "HTTP method"},
    {"timeout", Kind::duration, "30 seconds", "Longest wait for the answer", 1, hour},
    {"headers", Kind::headers, "", "Further headers"},
    {"condition", Kind::section, "", "When the route is taken; absent: always", 0, 0, "",
     &condition},
    {"revert", Kind::section, "", "What undoes it; absent: nothing to undo", 0, 0, "", &revert},
    {"retryAfter", Kind::section, "", "How the service says when to come back", 0, 0, "",
     &retry_after},
    {"classify", Kind::section, "", "Its own reading of status codes", 0, 0, "", &classify},
    {"followRedirects", Kind::boolean, "false", "Follow 3xx answers"},
    {"sign", Kind::section, "", "How a receiver can tell that it is ours; absent: it is not signed",
     0, 0, "", &sign},
    {"tls", Kind::section, "", "Authorities and certificates; absent: as the system has it", 0, 0,
     "", &tls},
    {"redact", Kind::section, "", "What is not kept of its bodies", 0, 0, "", &redact},
};
constexpr Section route{"outbox.http.routes.*.routes[]",
                        "One of several URLs. What it does not say, it takes from its destination.",
                        route_settings};

constexpr Setting breaker_settings[] = {
    {"failures", Kind::whole, "5", "Calls that fail in a row before it is left alone", 1, 1'000},
    {"openFor", Kind::duration, "30 seconds",
     "How long it is left alone; then one call shows whether it works again", 100, day},
};
constexpr Section breaker{
    "outbox.http.routes.*.limits.breaker",
    "When a destination that fails is left alone. A call fails when no answer "
    "comes, or one that may be tried again; a 429 does not count.",
    breaker_settings};

constexpr Setting limits_settings[] = {
    {"maxConcurrent", Kind::whole, "", "Calls of one relay under way at once; absent: any number",
     1, 100'000},
    {"ratePerSecond", Kind::real, "",
     "Calls that all relays together begin in a second; absent: any number", 0.001, 1'000'000},
    {"breaker", Kind::section, "", "When it is left alone; absent: never", 0, 0, "", &breaker},
};
constexpr Section limits{"outbox.http.routes.*.limits",
                         "How much a destination is given to bear. Events that do not fit wait "
                         "without using up their retries. With this section, even an empty one, a "
                         "`Retry-After` on a 429 or 503 holds back the whole destination.",
                         limits_settings};

constexpr Setting destination_settings[] = {
    {"routes", Kind::section_list, "",
     "Several URLs instead of `url`; the first whose condition holds is taken", 0, 0, "", &route},
    {"limits", Kind::section, "", "How much it is given to bear; absent: whatever comes", 0, 0, "",
     &limits},
};
constexpr Section destination{
    "outbox.http.routes.*",
    "A destination by its name: everything that a route has, and `routes` and `limits`.",
    destination_settings, &route};

constexpr Setting outcome_settings[] = {
    {"completed", Kind::sql, "", "When every step is done"},
    {"compensated", Kind::sql, "", "When what was done has been undone"},
    {"failed", Kind::sql, "", "When a person must look"},
};
constexpr Section outcome{"outbox.outcomes.*",
                          "By event type: one SQL statement that runs in the very transaction that "
                          "ends the saga. It may use "
                          "`:aggregate_id`, `:event_id`, `:event_type` and `:reason`, each sent as "
                          "untyped text: cast where "
                          "needed (`:aggregate_id::bigint`).",
                          outcome_settings};

constexpr Setting backoff_settings[] = {
    {"kind", Kind::choice, "exponential", "`base` doubled each time, or `base` × attempt", 0, 0,
     "exponential linear"},
    {"base", Kind::duration, "2 seconds", "Pause after the first attempt", 1, day},
    {"max", Kind::duration, "5 minutes", "Longest pause", 1, 30 * day},
    {"jitter", Kind::real, "0", "Share of itself by which a pause is spread, up and down", 0, 1},
};
constexpr Section backoff{"outbox.backoff", "Pauses between attempts.", backoff_settings};

constexpr Setting dlq_settings[] = {
    {"maxRetries", Kind::whole, "3", "Retries of a revert after the first attempt", 0, 1'000},
    {"pollInterval", Kind::duration, "2 seconds", "How often dead letters are looked for", 10,
     hour},
};
constexpr Section dlq{"outbox.dlq", "Compensation.", dlq_settings};

constexpr Setting calls_settings[] = {
    {"routes", Kind::section_map, "", "Destinations by name", 0, 0, "", &destination},
    {"fanout", Kind::names, "", "Event type to its destinations, in order"},
};
constexpr Section calls{"outbox.http", "What is called.", calls_settings};

constexpr Setting outbox_settings[] = {
    {"pollInterval", Kind::duration, "2 seconds",
     "How often events are looked for when no notification comes", 10, hour},
    {"batchSize", Kind::whole, "100", "Events taken per claim", 1, 10'000},
    {"poolSize", Kind::whole, "3", "Parallel workers", 1, 64},
    {"maxInFlight", Kind::whole, "1000", "Sagas that one worker has under way at once", 1, 100'000},
    {"maxRetries", Kind::whole, "3", "Retries of a step after the first attempt", 0, 1'000},
    {"useListenNotify", Kind::boolean, "true", "Be woken by `NOTIFY`"},
    {"enableStaleEventCleanup", Kind::boolean, "true", "Look for expired leases"},
    {"leaseDuration", Kind::duration, "30 seconds", "How long a claim holds without renewal", 100,
     day},
    {"staleEventTimeoutMinutes", Kind::whole, "",
     "The same in minutes, under the reference's name; `leaseDuration` wins", 1, 1'440},
    {"cleanupInterval", Kind::duration, "1 minute",
     "How often expired leases are looked for, at the latest", 10, day},
    {"shutdownGrace", Kind::duration, "10 seconds", "Time for calls under way when stopping", 0,
     hour},
    {"retention", Kind::duration, "7 days", "Finished events, results and letters are kept so long",
     second, 36'500 * day},
    {"ordering", Kind::choice, "aggregate", "Whether events of one aggregate wait for each other",
     0, 0, "aggregate none"},
    {"maxRetryAfter", Kind::duration, "1 hour", "A longer `Retry-After` is cut to this", 0,
     30 * day},
    {"backoff", Kind::section, "", "Pauses between attempts", 0, 0, "", &backoff},
    {"dlq", Kind::section, "", "Compensation", 0, 0, "", &dlq},
    {"http", Kind::section, "", "What is called", 0, 0, "", &calls},
    {"outcomes", Kind::section_map, "", "SQL at a saga's end, by event type", 0, 0, "", &outcome},
};
constexpr Section outbox{"outbox", "The relay.", outbox_settings};

constexpr Setting database_settings[] = {
    {"url", Kind::database_url, "",
     "libpq connection string or URI; absent: an embedded PostgreSQL. `SAGABOX_DATABASE_URL` beats "
     "it"},
    {"listenUrl", Kind::database_url, "", "A direct connection for `LISTEN`, past a pooler"},
    {"schema", Kind::identifier, "public", "Where the tables are"},
    {"preparedStatements", Kind::boolean, "true",
     "Prepare statements; false behind a pooler that can't keep them"},
};
constexpr Section database{"database", "PostgreSQL.", database_settings};

constexpr Setting auth_settings[] = {
    {"token", Kind::secret, "",
     "Bearer token of the API; needed beyond loopback. `SAGABOX_HTTP_TOKEN` beats it"},
};
constexpr Section auth{"http.auth", "Who may use the API.", auth_settings};

constexpr Setting http_settings[] = {
    {"address", Kind::text, "127.0.0.1", "Where API and console answer"},
    {"port", Kind::whole, "9000", "Port; 0: any free one", 0, 65'535},
    {"auth", Kind::section, "", "Who may use it", 0, 0, "", &auth},
};
constexpr Section http{"http", "API and console.", http_settings};

constexpr Setting failure_settings[] = {
    {"rates", Kind::rates, "", "Probability of failure by service, such as `billing.charge = 0.3`",
     0, 1},
};
constexpr Section failure{"service.failure", "The demo's simulated services; the relay ignores it.",
                          failure_settings};

constexpr Setting service_settings[] = {
    {"failure", Kind::section, "", "Failures of the simulated services", 0, 0, "", &failure},
};
constexpr Section service{"service", "The demo's services.", service_settings};

constexpr Setting top_settings[] = {
    {"database", Kind::section, "", "PostgreSQL", 0, 0, "", &database},
    {"outbox", Kind::section, "", "The relay", 0, 0, "", &outbox},
    {"http", Kind::section, "", "API and console", 0, 0, "", &http},
    {"email", Kind::section, "", "Sending mail", 0, 0, "", &email_section},
    {"health", Kind::section, "", "When a relay is healthy", 0, 0, "", &health_section},
    {"metrics", Kind::section, "", "What it tells of itself", 0, 0, "", &metrics_section},
    {"log", Kind::section, "", "What it writes to standard error", 0, 0, "", &log_section},
    {"network", Kind::section, "", "Whom it may connect to", 0, 0, "", &network_section},
    {"service", Kind::section, "", "The demo's services", 0, 0, "", &service},
};
constexpr Section top{"", "The file.", top_settings};

constexpr std::array<const Section*, 33> sections = {&database,
                                                     &outbox,
                                                     &backoff,
                                                     &dlq,
                                                     &calls,
                                                     &destination,
                                                     &limits,
                                                     &breaker,
                                                     &route,
                                                     &condition,
                                                     &revert,
                                                     &retry_after,
                                                     &sign,
                                                     &tls,
                                                     &redact,
                                                     &classify,
                                                     &outcome,
                                                     &http,
                                                     &auth,
                                                     &email_section,
                                                     &email_provider_section,
                                                     &email_smtp_section,
                                                     &email_http_section,
                                                     &email_classify_section,
                                                     &email_backoff_section,
                                                     &email_breaker_section,
                                                     &health_section,
                                                     &metrics_section,
                                                     &log_section,
                                                     &log_levels_section,
                                                     &network_section,
                                                     &service,
                                                     &failure};

} // namespace

const Setting* Section::find(std::string_view name) const
{
    for (const Setting& setting : settings) {
        if (setting.name == name) {
            return &setting;
        }
    }
    return more != nullptr ? more->find(name) : nullptr;
}

const Section& root_section()
{
    return top;
}

std::span<const Section* const> all_sections()
{
    return sections;
}

} // namespace sagabox::config
