#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sagabox::store {

/// A part of a list, newest first. A page may hold less than was asked for and still not be the
/// last one: a look passes over a bounded number of rows, however few of them match.
template <class T>
struct Page {
    std::vector<T> items;
    std::optional<std::int64_t> next; ///< where the next page begins; nothing: this was the last
};

/// Rows that one page may look at.
inline constexpr std::int64_t most_rows_of_a_page = 10'000;
inline constexpr int most_items_of_a_page = 500;

} // namespace sagabox::store
