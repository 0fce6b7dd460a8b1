#include "json/value.hpp"

#include <algorithm>
#include <iterator>

namespace sagabox::json {

namespace {

/// jsonb's order of names. Comparing lengths first is also the cheaper test.
bool name_before(std::string_view a, std::string_view b)
{
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

bool member_before(const Object::Member& a, const Object::Member& b)
{
    return name_before(a.first, b.first);
}

/// `std::stable_sort` takes memory for its buffer, which for the usual handful of members costs
/// more than the sorting.
void sort_stably(std::vector<Object::Member>& members)
{
    constexpr std::size_t few = 16;
    if (members.size() > few) {
        std::stable_sort(members.begin(), members.end(), member_before);
        return;
    }
    for (auto next = members.begin(); next != members.end(); ++next) {
        std::rotate(std::upper_bound(members.begin(), next, *next, member_before), next,
                    std::next(next));
    }
}

template <class Members>
auto position_of(Members& members, std::string_view name)
{
    return std::lower_bound(members.begin(), members.end(), name,
                            [](const Object::Member& member, std::string_view wanted) {
                                return name_before(member.first, wanted);
                            });
}

} // namespace

Object Object::from_members(std::vector<Member> members)
{
    const auto out_of_order = [](const Member& a, const Member& b) {
        return !member_before(a, b);
    };
    // What comes from the database is in order already.
    if (std::adjacent_find(members.begin(), members.end(), out_of_order) != members.end()) {
        sort_stably(members);
        // Backwards, so that of equal names the one that was written last is met first and stays.
        const auto kept =
            std::unique(members.rbegin(), members.rend(),
                        [](const Member& a, const Member& b) { return a.first == b.first; });
        members.erase(members.begin(), kept.base());
    }
    Object object;
    object.members_ = std::move(members);
    return object;
}

void Object::set(std::string name, Value value)
{
    const auto at = position_of(members_, name);
    if (at != members_.end() && at->first == name) {
        at->second = std::move(value);
    } else {
        members_.emplace(at, std::move(name), std::move(value));
    }
}

const Value* Object::find(std::string_view name) const
{
    const auto at = position_of(members_, name);
    return at != members_.end() && at->first == name ? &at->second : nullptr;
}

bool Object::erase(std::string_view name)
{
    const auto at = position_of(members_, name);
    if (at == members_.end() || at->first != name) {
        return false;
    }
    members_.erase(at);
    return true;
}

bool operator==(const Object& a, const Object& b)
{
    return a.members_ == b.members_;
}

const Value* Value::find(std::string_view name) const
{
    const Object* object = as_object();
    return object == nullptr ? nullptr : object->find(name);
}

bool operator==(const Value& a, const Value& b)
{
    return a.data_ == b.data_;
}

} // namespace sagabox::json
