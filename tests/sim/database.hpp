#pragma once

#include "core/decide.hpp"
#include "core/saga.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sagabox::sim {

enum class Ordering : std::uint8_t { aggregate, none };
enum class Fencing : std::uint8_t { on, off };

/// A lease as a row carries it.
struct Lease {
    int owner = 0; ///< 0: nobody
    DbTime expires_at;
    int claim_no = 0;
};

struct EventRow {
    core::Event event; ///< `status`, `run`, `deaths` and `retry_count` are the columns
    std::vector<core::StepResult> results;
    Lease lease;
    std::optional<DbTime> next_retry_at;
    std::string last_error;
    bool moved_to_dlq = false;
    DbTime status_changed_at;
    bool emitted_for_later = false;

    int forgiveness = 0;  ///< how often a person asked to try again
    int lost_workers = 0; ///< deaths in all, for good
    int rerun_at_tick = -1;
    int settled_at_tick = -1;
};

struct LetterRow {
    std::size_t event = 0; ///< index of its event
    core::LetterStatus status = core::LetterStatus::PENDING;
    core::LetterReason reason = core::LetterReason::NON_RETRYABLE_ERROR;
    Lease lease;
    std::optional<DbTime> next_retry_at;
    int deaths = 0;
    int retry_count = 0;
    std::string why; ///< `last_error`
    std::string revert_error;
    DbTime status_changed_at;

    int lost_workers = 0;
    int resumed = 0;
};

/// A worker's right to one row, as it remembers it.
struct Claim {
    enum class Lane : std::uint8_t { event, letter };

    Lane lane = Lane::event;
    std::size_t row = 0;
    int owner = 0;
    int claim_no = 0;
};

struct HandBack {};

/// What a flush does to the row's status besides writing results.
using Change = std::variant<std::monostate, core::Wait, core::Finish, core::GiveUp,
                            core::NeedsPerson, core::StopForCancel, HandBack>;

struct Flushed {
    bool applied = false; ///< no: the lease was no longer the writer's, and nothing was written
    bool cancel_waiting = false;
};

/// The tables as PostgreSQL would keep them, and the statements that change them, each atomic.
class Database {
public:
    Database(Ordering ordering, Fencing fencing, std::chrono::microseconds lease)
        : ordering_(ordering), fencing_(fencing), lease_(lease)
    {
    }

    DbTime now;
    int tick = 0;

    std::size_t emit(std::string aggregate, std::string type, json::Value payloads,
                     std::optional<DbTime> not_before);

    [[nodiscard]] std::vector<Claim> claimable() const;
    [[nodiscard]] Claim take(Claim candidate);
    [[nodiscard]] core::Saga load(const Claim& claim) const;
    [[nodiscard]] std::vector<core::History> targets_of(std::size_t cancellation) const;

    /// Still PROCESSING and of that very claim. An expired lease that nobody took over is still its
    /// owner's.
    [[nodiscard]] bool holds(const Claim& claim) const;

    /// Extends the lease, if it is still the claim's.
    bool renew(const Claim& claim);

    Flushed flush(const Claim& claim, const std::vector<core::StepResult>& rows,
                  const Change& change);

    /// Carries out `CancelWaiting` for a `!X`.
    bool cancel_waiting(const Claim& claim, const std::vector<EventId>& events);

    /// What a person may do; false where the state does not allow it.
    bool resume_letter(std::size_t letter);
    bool run_again(std::size_t event);

    [[nodiscard]] bool cancel_waits_for(std::size_t event) const;
    [[nodiscard]] std::optional<std::size_t> letter_of(std::size_t event) const;
    [[nodiscard]] bool is_target(std::size_t event, std::size_t cancellation) const;
    [[nodiscard]] bool anything_active() const;

    /// The next moment at which something becomes due or a lease ends.
    [[nodiscard]] std::optional<DbTime> next_moment() const;

    [[nodiscard]] Ordering ordering() const { return ordering_; }
    [[nodiscard]] std::chrono::microseconds lease_duration() const { return lease_; }
    [[nodiscard]] const std::vector<EventRow>& events() const { return events_; }
    [[nodiscard]] const std::vector<LetterRow>& letters() const { return letters_; }

private:
    [[nodiscard]] bool event_blocked(std::size_t index) const;
    void settle_event(EventRow& row, std::size_t index, const Change& change);
    void settle_letter(LetterRow& row, const Change& change);

    Ordering ordering_;
    Fencing fencing_;
    std::chrono::microseconds lease_;
    std::vector<EventRow> events_;
    std::vector<LetterRow> letters_;
    std::int64_t last_result_id_ = 0;
    int last_owner_ = 0;
};

[[nodiscard]] inline bool active(core::EventStatus status)
{
    return status == core::EventStatus::PENDING || status == core::EventStatus::PROCESSING;
}
[[nodiscard]] inline bool active(core::LetterStatus status)
{
    return status == core::LetterStatus::PENDING || status == core::LetterStatus::PROCESSING;
}

} // namespace sagabox::sim
