#pragma once

#include "testing/stub_server.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The business that the relays serve: its tables, its events, and what must become of an order.
namespace sagabox::torture::shop {

/// `order-17`: the aggregate of an order.
[[nodiscard]] std::string aggregate_of(std::int64_t order);

/// Tables of the application. `intents` gets a row in the transaction of every event, named by the
/// event's key, so that what was committed is known without the outbox.
[[nodiscard]] std::string_view schema();

/// The relay's configuration, without the database.
[[nodiscard]] std::string config(const testing::StubServer& services);

/// `OrderCreated` and so on, to their destinations in order; empty for a cancel.
[[nodiscard]] std::vector<std::string> fanout(std::string_view event_type);

/// Whether what a destination did can be undone, and whether by its key alone.
enum class Undo : std::uint8_t { never, by_answer, by_key };
[[nodiscard]] Undo undo_of(std::string_view destination);

/// What an order brings along, all of it by the seed and its aggregate's name.
struct Fate {
    std::string shipping; ///< `domestic`, `international`, or `pickup`, which no route takes
    int risk = 0;         ///< what fraud says
    std::string refusing; ///< the destination that refuses for good, if any
    std::string stuck;    ///< the destination that never answers properly, if any
    std::string kept;     ///< the destination that refuses to undo, if any
};
[[nodiscard]] Fate fate_of(std::uint64_t seed, std::string_view aggregate);

/// The path at which a destination must have been called for such an order; empty: not at all.
[[nodiscard]] std::string path_of(std::string_view destination, const Fate& fate,
                                  std::string_view event_type);

/// All paths of a destination, forward.
[[nodiscard]] std::vector<std::string> paths_of(std::string_view destination);
[[nodiscard]] std::vector<std::string> destinations();

/// Where an effect of a destination is undone.
[[nodiscard]] std::string undo_path_of(std::string_view destination);

} // namespace sagabox::torture::shop
