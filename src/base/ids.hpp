#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace sagabox {

/// A number that names one row of one kind; ids of different kinds do not mix.
template <class Tag>
struct Id {
    std::int64_t value = 0;

    friend auto operator<=>(const Id&, const Id&) = default;
};

using EventId = Id<struct EventTag>;   ///< `outbox_events.id`
using LetterId = Id<struct LetterTag>; ///< `dead_letter_events.id`
using ResultId = Id<struct ResultTag>; ///< `aggregate_results.id`

} // namespace sagabox

template <class Tag>
struct std::hash<sagabox::Id<Tag>> {
    std::size_t operator()(const sagabox::Id<Tag>& id) const noexcept
    {
        return std::hash<std::int64_t>{}(id.value);
    }
};
