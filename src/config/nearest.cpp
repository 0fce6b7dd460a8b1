#include "config/nearest.hpp"

#include <algorithm>
#include <vector>

namespace sagabox::config {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            cost[i][j] = std::min(
                {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0U : 1U)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> known)
{
    // A name of absurd length is like nothing that we know, and the table above is quadratic.
    if (name.size() > 100) {
        return std::nullopt;
    }
    std::optional<std::string_view> best;
    std::size_t least = std::max<std::size_t>(2, name.size() / 2) + 1;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(name, candidate);
        const bool something_in_common = distance < std::min(name.size(), candidate.size());
        if (distance < least && something_in_common) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace sagabox::config
