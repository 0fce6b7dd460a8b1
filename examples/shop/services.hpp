#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shop {

/// One simulated outside service: what it does, and how it is undone.
struct Service {
    std::string_view path; ///< of the forward call
    std::string_view base; ///< a revert is `<base>/:id/<undo>`; empty: it cannot be undone
    std::string_view undo;
    std::string_view action; ///< key of failure rates and scripts: `billing.charge`
    std::string_view undo_action;
    std::string_view leaves; ///< what lasts afterwards: `reserved`, …; empty: nothing does
    std::string_view id_prefix;
    std::string_view id_field;
    std::string_view done; ///< `status` in the answer
    std::string_view undone;
};

[[nodiscard]] std::span<const Service> services();

/// True for a key of failure rates and scripts.
[[nodiscard]] bool is_action(std::string_view name);

/// What an address asks of a service.
struct Call {
    enum class Direction { forward, revert };
    enum class Mode {
        normal,
        succeed, ///< `…/succeed`: neither rates nor scripts count
        fail     ///< `…/fail`: always 503, without effect
    };
    const Service* service = nullptr;
    Direction direction = Direction::forward;
    std::string id; ///< of what a revert undoes
    Mode mode = Mode::normal;

    [[nodiscard]] std::string_view action() const
    {
        return direction == Direction::forward ? service->action : service->undo_action;
    }
};

/// The call that a path means; nothing where no service answers there.
[[nodiscard]] std::optional<Call> find_call(std::string_view path);

} // namespace shop
