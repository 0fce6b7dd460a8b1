#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"
#include "json/value.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::store {

/// What intake accepts, and how long messages are kept. Written to the database, since events come
/// in there, within transactions of applications that know no configuration.
struct MailRules {
    std::string from;                          ///< the sender, for the domain of the Message-ID
    std::vector<std::string> document_types;   ///< empty: any
    std::vector<std::string> attachment_types; ///< media types; empty: no attachments
    int max_attachments = 10;
    std::int64_t max_attachment_bytes = std::int64_t{10} << 20;
    std::int64_t max_total_bytes = std::int64_t{25} << 20; ///< text, HTML and attachments together
    int max_recipients = 100;
};

/// Puts the rules in force for whoever emits from now on.
[[nodiscard]] Task<Result<void>> publish_mail_rules(pg::Connection& connection, MailRules rules,
                                                    Deadline deadline);

struct MailFault {
    std::string field; ///< as in the request: `to[0]`, `attachments[1].content`
    std::string text;
};

/// What became of a request to send a message.
struct MailIntake {
    std::vector<MailFault> faults; ///< not empty: refused, nothing is stored
    std::int64_t id = 0;
    std::string correlation_id;
    std::string status;
    bool repeated = false; ///< the idempotency key was known: this is the first message
};

/// Checks a message, stores it with its attachments, and emits its event, in one transaction.
/// `message` is the JSON text of the contract's section 7.
[[nodiscard]] Task<Result<MailIntake>> accept_mail(pg::Connection& connection, std::string message,
                                                   Deadline deadline);

/// A stored attachment without its bytes.
struct MailAttachment {
    std::int64_t id = 0;
    std::string file_name;
    std::string content_type;
    std::int64_t bytes = 0;
};

/// A stored message without its attachments' bytes.
struct StoredMail {
    std::int64_t id = 0;
    std::string message_id;
    std::string correlation_id;
    std::string document_type;
    std::string idempotency_key;
    DbTime received_at;
    std::vector<std::string> to;
    std::vector<std::string> cc;
    std::vector<std::string> bcc;
    std::string reply_to;
    std::string subject;
    std::string text;
    std::string html;
    std::vector<MailAttachment> attachments;

    /// Providers whose breakers are open, with the moment until which each is left out. One that
    /// has passed asks for `claim_probe`.
    std::vector<std::pair<std::string, DbTime>> left_out;
};

/// Nothing where there is no such message any more.
[[nodiscard]] Task<Result<std::optional<StoredMail>>>
load_mail(pg::Connection& connection, std::int64_t message, Deadline deadline);

/// The bytes of one attachment; a fault of kind `bad_input` where it is not there any more. Holds
/// them and little else while it loads.
[[nodiscard]] Task<Result<std::string>> load_attachment(pg::Connection& connection,
                                                        std::int64_t attachment, Deadline deadline);

/// A provider's breaker opens, or stays open: it is left out for `open_for`.
[[nodiscard]] Task<Result<void>> open_breaker(pg::Connection& connection, std::string provider,
                                              int failures, std::string last_error,
                                              std::chrono::milliseconds open_for,
                                              Deadline deadline);

/// Its time is over: whoever gets true may make the one try that shows whether the provider works
/// again; the others leave it out for another `open_for`. Where no breaker is open, everybody gets
/// true.
[[nodiscard]] Task<Result<bool>> claim_probe(pg::Connection& connection, std::string provider,
                                             std::chrono::milliseconds open_for, Deadline deadline);

[[nodiscard]] Task<Result<void>> close_breaker(pg::Connection& connection, std::string provider,
                                               Deadline deadline);

/// Deletes a batch of messages that ended long enough ago, sent ones and failed ones each up to
/// `limit`; how many. 0: none is left. Without `failed_retention` failed ones stay.
[[nodiscard]] Task<Result<int>>
purge_mail(pg::Connection& connection, std::chrono::milliseconds retention,
           std::optional<std::chrono::milliseconds> failed_retention, int limit, Deadline deadline);

} // namespace sagabox::store
