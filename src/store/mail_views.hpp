#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "core/saga.hpp"
#include "pg/connection.hpp"
#include "store/mail.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::store {

/// What people see of e-mail, and what they may do about it.

/// The statuses of the contract's section 7, in the order in which a message passes them.
inline constexpr std::array<std::string_view, 6> mail_statuses{
    "NOT_YET_SENT", "IN_PROCESS",           "REQUIRED_RESEND",
    "SUCCESS_SENT", "FAILED_NOT_RETRYABLE", "FAILED_RETRIES_EXHAUSTED",
};

/// A message as a list shows it: a row of the view `email_status`.
struct MailView {
    std::int64_t id = 0;
    EventId event;
    std::string status;     ///< one of `mail_statuses`
    int attempts = 0;       ///< rounds over the providers so far; 0 before the first
    std::string provider;   ///< whose try was the latest; empty before the first
    std::string last_error; ///< in plain words; empty where there is none
    std::optional<DbTime> next_try_at;
    std::optional<DbTime> ended_at; ///< sent, or failed for good
    DbTime received_at;
    std::string message_id; ///< with its angle brackets
    std::string correlation_id;
    std::string document_type;
    std::string idempotency_key; ///< empty where none was given
    std::vector<std::string> to;
    std::vector<std::string> cc;
    std::vector<std::string> bcc;
    std::string reply_to;
    std::string subject;
};

/// A message with all that is known of it, but for its attachments' bytes.
struct MailStory {
    MailView mail;
    std::string text;
    std::string html;
    std::vector<MailAttachment> attachments;
    std::vector<core::StepResult> tries; ///< rows of the result table, oldest first
};

/// Nothing where there is no such message.
[[nodiscard]] Task<Result<std::optional<MailStory>>>
get_mail(pg::Connection& connection, std::int64_t message, Deadline deadline);

/// Which messages; an empty field asks for nothing.
struct MailFilter {
    std::string status;    ///< one of `mail_statuses`
    std::string recipient; ///< the bare address; To, Cc or Bcc; case does not matter
    std::string correlation_id;
    std::string document_type;
    std::optional<std::int64_t> before; ///< only ids below it: the last one of the page before
    int limit = 100;                    ///< cut to 1 … 500
};

/// Newest first.
[[nodiscard]] Task<Result<std::vector<MailView>>> list_mail(pg::Connection& connection,
                                                            MailFilter filter, Deadline deadline);

struct MailCount {
    std::string status;
    std::int64_t messages = 0;
};

/// One for each of `mail_statuses`, in their order. Cheap at any number of messages.
[[nodiscard]] Task<Result<std::vector<MailCount>>> count_mail(pg::Connection& connection,
                                                              Deadline deadline);

enum class Resent : std::uint8_t {
    again,      ///< it is tried anew, with all its attempts
    not_failed, ///< it has been sent or is under way; or somebody else was quicker
    in_a_saga,  ///< its event has other steps, which were undone: run the event again instead
    event_gone, ///< its event was deleted, and with it who has got the message already
    unknown,    ///< there is no such message
};

/// Tries a failed message again, under the same Message-ID; who has got it already is left out.
[[nodiscard]] Task<Result<Resent>> resend_mail(pg::Connection& connection, std::int64_t message,
                                               Deadline deadline);

/// Which failed messages; an empty field asks for nothing.
struct ResendFilter {
    std::string status; ///< one of the two that failed; empty: both
    std::string document_type;
    std::optional<std::string> received_from;  ///< RFC 3339; this moment and later
    std::optional<std::string> received_until; ///< RFC 3339; before this moment
    int limit = 1000;                          ///< cut to 1 … 10000
};

/// Tries failed messages again, oldest first, but those inside sagas; how many. A moment that
/// PostgreSQL can't read is a fault of kind `bad_input`.
[[nodiscard]] Task<Result<int>> resend_mail_where(pg::Connection& connection, ResendFilter filter,
                                                  Deadline deadline);

/// A provider that failed lately; one that never did is not listed.
struct MailProviderState {
    std::string name;
    std::string state; ///< `closed`, `open`, or `half_open`: its time is over, the next try shows
    int failures = 0;  ///< in a row
    std::string last_error;
    std::optional<DbTime> open_until;
    DbTime changed_at;
};

[[nodiscard]] Task<Result<std::vector<MailProviderState>>>
list_mail_providers(pg::Connection& connection, Deadline deadline);

} // namespace sagabox::store
