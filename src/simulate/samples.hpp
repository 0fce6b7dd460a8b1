#pragma once

#include "base/fault.hpp"
#include "core/plan.hpp"
#include "json/value.hpp"

#include <map>
#include <string>
#include <string_view>

namespace sagabox::simulate {

/// What the user knows of the world: what the application sends, and what the services answer.
/// Whatever is not given is invented.
struct Samples {
    /// As in `outbox_events.payloads`: by destination.
    std::map<std::string, json::Value, std::less<>> payloads;

    /// By destination, or `<destination>#2` for its second route.
    std::map<std::string, json::Value, std::less<>> answers;

    [[nodiscard]] const json::Value* payload(std::string_view destination) const;

    /// The route's own answer, else the destination's; a null pointer where neither is given.
    [[nodiscard]] const json::Value* answer(std::string_view destination, int route) const;
};

/// Reads `{"payloads": {…}, "answers": {…}}`, each of them optional. Fails on a destination that
/// the event type does not go to, and on a route that it does not have: a sample that is never used
/// would make its reader believe what was never tried.
[[nodiscard]] Result<Samples> read_samples(std::string_view text, const core::Plan& plan,
                                           std::string_view event_type);

} // namespace sagabox::simulate
