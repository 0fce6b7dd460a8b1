#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/ids.hpp"
#include "base/task.hpp"
#include "core/vocabulary.hpp"
#include "pg/connection.hpp"
#include "store/page.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sagabox::store {

/// What a person did with a letter that waited for one.
struct Resolution {
    std::string note;
    std::string by; ///< empty: nobody said
    DbTime at;
};

/// A dead letter as a person reads it.
struct LetterView {
    LetterId id;
    EventId event;
    std::string aggregate_id;
    std::string type;
    core::LetterReason reason = core::LetterReason::NON_RETRYABLE_ERROR;
    core::LetterStatus status = core::LetterStatus::PENDING;
    std::optional<DbTime> created_at; ///< the event's
    DbTime failed_at;
    DbTime status_changed_at;
    int retry_count = 0;
    std::string last_error;
    int revert_retry_count = 0;
    std::string revert_error; ///< empty where there is none
    std::optional<DbTime> next_retry_at;
    std::optional<Resolution> resolution; ///< where a person closed it, and said so to us
};

/// Which letters; an empty field asks for nothing.
struct LetterFilter {
    std::optional<core::LetterStatus> status;
    std::optional<core::LetterReason> reason;
    std::optional<std::int64_t> before; ///< only ids below it
    int limit = 50;                     ///< cut to 1 … `most_items_of_a_page`
};

[[nodiscard]] Task<Result<Page<LetterView>>> list_letters(pg::Connection& connection,
                                                          LetterFilter filter, Deadline deadline);

struct LetterDetail {
    LetterView letter;
    json::Value payloads; ///< the event's
};

/// Nothing where there is no such letter.
[[nodiscard]] Task<Result<std::optional<LetterDetail>>>
get_letter(pg::Connection& connection, LetterId letter, Deadline deadline);

/// The latest letter of an event; nothing where it has none.
[[nodiscard]] Task<Result<std::optional<LetterView>>>
find_letter_of(pg::Connection& connection, EventId event, Deadline deadline);

} // namespace sagabox::store
