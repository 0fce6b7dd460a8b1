#pragma once

#include "sagabox/payloads.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <pqxx/pqxx>

/// Emits events inside the caller's own database transaction.
///
/// An event that is emitted with the business row commits with it or not at all: there is no moment
/// at which one exists without the other. Sagabox, another process, sees it after the commit and
/// calls the outside. Nothing here commits, retries, connects or calls anything but PostgreSQL, and
/// nothing here makes tables: `sagabox migrate` does.
///
/// The function `outbox_emit` is found through the session's `search_path`. A statement that
/// PostgreSQL refuses throws pqxx's own exception, and the transaction can only be rolled back.
namespace sagabox::client {

struct Event {
    std::string aggregate_id; ///< what it is about: `order 123`'s id
    std::string type;         ///< `OrderCreated`; `!OrderCreated` undoes it
    Payloads payloads = {};

    /// Unique among the events that are waiting or being worked on; none: `<aggregate_id>:<type>`.
    /// An event of a type that may rightly come twice, such as a status change, needs a key of its
    /// own.
    std::optional<std::string> idempotency_key = std::nullopt;

    /// Not to be worked on before this moment.
    std::optional<std::chrono::system_clock::time_point> not_before = std::nullopt;
};

/// The event that undoes what the aggregate's events of `type` did.
[[nodiscard]] Event cancel(std::string aggregate_id, std::string_view type);

/// Puts an event into `transaction` and returns its id. Where an active event has its key already,
/// nothing is inserted and the id is that event's: a second click is no error.
///
/// Throws `std::invalid_argument` for an empty aggregate id or type, and for text with U+0000,
/// which PostgreSQL cannot hold.
std::int64_t emit(pqxx::transaction_base& transaction, const Event& event);

/// Runs `statement`, which is given the transaction, then emits `event`; returns what `statement`
/// returned. The statement goes first, so that whatever row it locks orders the events about it.
template <std::invocable<pqxx::transaction_base&> Statement>
auto with_event(pqxx::transaction_base& transaction, const Event& event, Statement&& statement)
{
    if constexpr (std::is_void_v<std::invoke_result_t<Statement, pqxx::transaction_base&>>) {
        std::forward<Statement>(statement)(transaction);
        emit(transaction, event);
    } else {
        auto result = std::forward<Statement>(statement)(transaction);
        emit(transaction, event);
        return result;
    }
}

/// Runs `action`, which is given the transaction, emits the event that `factory` makes of its
/// result, such as a generated id, and returns the result. The factory of an action without a
/// result takes nothing.
template <std::invocable<pqxx::transaction_base&> Action, class Factory>
auto with_event_factory(pqxx::transaction_base& transaction, Action&& action, Factory&& factory)
{
    if constexpr (std::is_void_v<std::invoke_result_t<Action, pqxx::transaction_base&>>) {
        std::forward<Action>(action)(transaction);
        emit(transaction, std::forward<Factory>(factory)());
    } else {
        auto result = std::forward<Action>(action)(transaction);
        emit(transaction, std::forward<Factory>(factory)(std::as_const(result)));
        return result;
    }
}

} // namespace sagabox::client
