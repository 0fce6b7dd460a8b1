#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace sagabox::app {

/// A text with `?` for what moves a terminal's cursor or turns its writing round: C0, C1, and the
/// marks of direction, U+200E to U+200F, U+202A to U+202E and U+2066 to U+2069.
[[nodiscard]] std::string printable(const std::string& text);

/// Rows for a person's eyes. The last column is cut where the terminal ends; where the output is no
/// terminal, nothing is. Control characters show as `?`, so that no stored text can play tricks.
class Table {
public:
    explicit Table(std::vector<std::string> heads);

    void add(std::vector<std::string> row);
    void print(std::ostream& out) const;

private:
    std::vector<std::vector<std::string>> rows_; ///< the heads first
};

} // namespace sagabox::app
