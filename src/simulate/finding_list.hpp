#pragma once

#include "simulate/report.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sagabox::simulate {

/// Keeps, of all stories that show the same thing, the simplest.
class FindingList {
public:
    /// What makes one story simpler than another, the most important first.
    using Length = std::tuple<int, std::size_t, std::size_t>; ///< troubles, unusual values, lines

    /// `part` tells apart what is found of one step more than once: its routes.
    void add(Finding finding, int part, Length length);

    /// Findings first, each weight with its shortest story first.
    [[nodiscard]] std::vector<Finding> take(const std::vector<std::string>& accepted) &&;

private:
    struct Kept {
        Finding finding;
        Length length;
    };
    std::map<std::tuple<std::string_view, std::string, int>, Kept> found_;
};

} // namespace sagabox::simulate
