#pragma once

#include "app/once/evidence.hpp"
#include "core/vocabulary.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::app::once {

/// One row of `aggregate_results` that must be there, and the call that the outside must have seen.
struct ExpectedCall {
    std::string destination; ///< without `.revert`
    core::Direction direction = core::Direction::forward;
    std::string action; ///< the simulated service's
    std::string method;
    std::string
        path; ///< `{}` stands for the id of what the forward call made, as the ledger has it
    int fanout_order = 0;

    std::size_t event = 0; ///< whose step it is: index into `Expected::events`
    std::size_t cause = 0; ///< on whose behalf it was called
    int attempt = 1;
    core::Outcome outcome = core::Outcome::succeeded;
    std::optional<int> status = 200;

    [[nodiscard]] ExpectedCall of(std::size_t its_event, std::size_t its_cause) const;
    [[nodiscard]] ExpectedCall ended(core::Outcome its_outcome,
                                     std::optional<int> its_status) const;
    [[nodiscard]] ExpectedCall tried_again(int its_attempt) const;
};

struct ExpectedEvent {
    std::string type;
    core::EventStatus status = core::EventStatus::PROCESSED;
    std::optional<core::LetterStatus> letter;
    std::optional<core::LetterReason> reason;
};

/// How an order must have ended.
struct Expected {
    std::string order_status;
    std::vector<ExpectedEvent> events;
    std::vector<ExpectedCall> calls; ///< in the order in which they must have been made
    Standing standing;
};

enum class Parcel : std::uint8_t { domestic, international };
[[nodiscard]] std::string to_label(Parcel parcel);

// The steps of an order, by the demo's configuration. An order's risk is 25 when its id is even and
// 75 when it is odd, and the risk decides who charges it.
[[nodiscard]] bool is_high_risk(std::int64_t order);
[[nodiscard]] ExpectedCall reserve();
[[nodiscard]] ExpectedCall check_fraud();
[[nodiscard]] ExpectedCall ship(Parcel parcel);
[[nodiscard]] ExpectedCall charge(std::int64_t order);
[[nodiscard]] ExpectedCall release();
[[nodiscard]] ExpectedCall cancel_shipping(Parcel parcel);
[[nodiscard]] ExpectedCall give_back(std::int64_t order);
/// `kind`: the last segment of the service's address, `shipping-confirmation` for example.
[[nodiscard]] ExpectedCall notify(const std::string& kind);

} // namespace sagabox::app::once
