#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace sagabox::app {

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
