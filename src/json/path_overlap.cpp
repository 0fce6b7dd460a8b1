#include "json/path.hpp"

#include "json/path_query.hpp"

#include <algorithm>

namespace sagabox::json {

namespace {

using namespace query;

/// Whether two selectors could pick the same child. What depends on the document counts as yes.
bool may_agree(const Selector& a, const Selector& b)
{
    const auto* name_a = std::get_if<Name>(&a);
    const auto* name_b = std::get_if<Name>(&b);
    if (name_a != nullptr && name_b != nullptr) {
        return name_a->name == name_b->name;
    }
    const auto* index_a = std::get_if<Index>(&a);
    const auto* index_b = std::get_if<Index>(&b);
    if (index_a != nullptr && index_b != nullptr) {
        const bool same_end = (index_a->index < 0) == (index_b->index < 0);
        return !same_end || index_a->index == index_b->index;
    }
    const auto of_array = [](const Selector& selector) {
        return std::holds_alternative<Index>(selector) || std::holds_alternative<Slice>(selector);
    };
    const bool name_and_array =
        (name_a != nullptr && of_array(b)) || (name_b != nullptr && of_array(a));
    return !name_and_array;
}

bool may_agree(const Segment& a, const Segment& b)
{
    return std::ranges::any_of(a.selectors, [&](const Selector& one) {
        return std::ranges::any_of(b.selectors,
                                   [&](const Selector& other) { return may_agree(one, other); });
    });
}

} // namespace

bool Path::may_meet(const Path& other) const
{
    const std::vector<Segment>& mine = query_->nodes.segments;
    const std::vector<Segment>& theirs = other.query_->nodes.segments;
    const std::size_t common = std::min(mine.size(), theirs.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (mine[i].reach == Segment::Reach::descendants ||
            theirs[i].reach == Segment::Reach::descendants) {
            return true;
        }
        if (!may_agree(mine[i], theirs[i])) {
            return false;
        }
    }
    return true;
}

} // namespace sagabox::json
