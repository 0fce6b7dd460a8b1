#include "config/mail_declarations.hpp"
#include "config/spans.hpp"

namespace sagabox::config {

namespace {

using namespace spans;
constexpr double mebibyte = 1'048'576;

constexpr Setting smtp_settings[] = {
    {"host", Kind::text, "", "Name or address of the server"},
    {"port", Kind::whole, "", "Absent: 587 with `starttls`, 465 with `tls`, 25 with `none`", 1,
     65'535},
    {"security", Kind::choice, "starttls",
     "`starttls` and `tls` are demanded, and certificates checked; `none` is for a server on this "
     "machine",
     0, 0, "starttls tls none"},
    {"user", Kind::text, "", "Absent: no login"},
    {"password", Kind::secret, "",
     "With `user`. `SAGABOX_EMAIL_<NAME>_PASSWORD` beats it, with the provider's name in capitals "
     "and `_` for whatever is no letter or digit"},
    {"caFile", Kind::text, "", "PEM of the authorities to trust; absent: the system's"},
};

constexpr Setting classify_settings[] = {
    {"success", Kind::statuses, "", "Statuses that count as success"},
    {"retry", Kind::statuses, "", "Statuses after which the next provider is asked"},
    {"reject", Kind::statuses, "", "Statuses that refuse the message for good"},
};
constexpr Setting http_settings[] = {
    {"url", Kind::url, "", "Where messages are sent to"},
    {"method", Kind::method, "POST", "HTTP method"},
    {"headers", Kind::headers, "", "Further headers, a key for instance"},
    {"body", Kind::body, "",
     "JSON template, as text (`\"\"\"…\"\"\"`) or as HOCON; its placeholders are `{from}`, `{to}`, "
     "`{cc}`, `{bcc}`, `{replyTo}`, `{subject}`, `{text}`, `{html}`, `{attachments}`, "
     "`{messageId}`, `{correlationId}`, `{documentType}`, `{idempotencyKey}`"},
    {"classify", Kind::section, "", "Its own reading of status codes", 0, 0, "",
     &email_classify_section},
    {"accepted", Kind::json_path, "",
     "Addresses in the answer that the provider has taken; absent: all of them"},
    {"refused", Kind::json_path, "", "Addresses in the answer that it refuses for good"},
};

constexpr Setting provider_settings[] = {
    {"name", Kind::text, "", "As rows, logs and metrics name it"},
    {"timeout", Kind::duration, "60 seconds", "Longest time for one try as a whole", 1, hour},
    {"smtp", Kind::section, "", "It speaks SMTP", 0, 0, "", &email_smtp_section},
    {"http", Kind::section, "", "It takes messages by HTTP", 0, 0, "", &email_http_section},
};

constexpr Setting backoff_settings[] = {
    {"kind", Kind::choice, "linear", "`base` × attempt, or `base` doubled each time", 0, 0,
     "exponential linear"},
    {"base", Kind::duration, "30 seconds", "Pause after the first attempt", 1, day},
    {"max", Kind::duration, "1 hour", "Longest pause", 1, 30 * day},
    {"jitter", Kind::real, "0", "Share of itself by which a pause is spread, up and down", 0, 1},
};

constexpr Setting breaker_settings[] = {
    {"failures", Kind::whole, "5", "Failures in a row, by the provider's fault, that leave it out",
     1, 1'000},
    {"openFor", Kind::duration, "30 seconds", "How long; then one try shows whether it works again",
     1, day},
};

constexpr Setting email_settings[] = {
    {"from", Kind::text, "", "The sender, with or without a display name"},
    {"providers", Kind::section_list, "", "In order of preference", 0, 0, "",
     &email_provider_section},
    {"documentTypes", Kind::texts, "", "What `documentType` may be; absent: anything"},
    {"attachmentTypes", Kind::texts,
     "application/pdf image/png image/jpeg image/gif image/webp text/plain text/csv "
     "application/vnd.openxmlformats-officedocument.wordprocessingml.document "
     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet application/zip",
     "Media types that may be attached"},
    {"maxAttachments", Kind::whole, "10", "Attachments of one message", 0, 100},
    {"maxAttachmentSize", Kind::bytes, "10 MiB", "Of one attachment", 1, 200 * mebibyte},
    {"maxTotalSize", Kind::bytes, "25 MiB", "Of text, HTML and attachments together", 1,
     200 * mebibyte},
    {"maxRecipients", Kind::whole, "100", "To, Cc and Bcc together", 1, 1'000},
    {"maxRetries", Kind::whole, "5", "Rounds over the providers after the first", 0, 1'000},
    {"backoff", Kind::section, "", "Pauses between rounds", 0, 0, "", &email_backoff_section},
    {"breaker", Kind::section, "", "When a provider is left out", 0, 0, "", &email_breaker_section},
    {"retention", Kind::duration, "7 days", "Sent messages and their attachments are kept so long",
     second, 36'500 * day},
    {"failedRetention", Kind::duration, "",
     "The same for failed ones; absent: they stay until a person acts", second, 36'500 * day},
    {"memory", Kind::bytes, "32 MiB",
     "Messages that one worker holds at once while it sends them; a larger one goes alone",
     mebibyte, 4'096 * mebibyte},
};

} // namespace

const Section email_section{"email", "Sending mail. Absent: there is no destination `email`.",
                            email_settings};
const Section email_provider_section{"email.providers[]", "One way out, either `smtp` or `http`.",
                                     provider_settings};
const Section email_smtp_section{"email.providers[].smtp", "A mail server.", smtp_settings};
const Section email_http_section{"email.providers[].http", "A provider with an HTTP API.",
                                 http_settings};
const Section email_classify_section{"email.providers[].http.classify",
                                     "A provider's own reading of status codes.",
                                     classify_settings};
const Section email_backoff_section{"email.backoff", "Pauses between rounds over the providers.",
                                    backoff_settings};
const Section email_breaker_section{"email.breaker", "When a provider is left out.",
                                    breaker_settings};

} // namespace sagabox::config
