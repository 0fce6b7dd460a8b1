#include "engine/breakers.hpp"

#include <algorithm>

namespace sagabox::engine {

void Breakers::heard(const LeftOut& open, DbTime now)
{
    for (auto& [name, state] : states_) {
        const auto listed = std::find_if(
            open.begin(), open.end(), [&name](const auto& entry) { return entry.first == name; });
        // One whose time is over stays ours to probe; one that another worker has closed is well.
        if (listed == open.end() && state.open && *state.open > now) {
            state = {};
        }
    }
    for (const auto& [name, until] : open) {
        states_[name].open = until;
    }
}

void Breakers::heard_of(const std::string& name, std::optional<DbTime> open)
{
    State& state = states_[name];
    if (state.open && !open) {
        state = {};
    }
    state.open = open;
}

Breakers::LeftOut Breakers::left_out(DbTime now) const
{
    LeftOut out;
    for (const auto& [name, state] : states_) {
        if (state.open && *state.open > now) {
            out.emplace_back(name, *state.open);
        }
    }
    return out;
}

bool Breakers::needs_probe(const std::string& name) const
{
    const auto state = states_.find(name);
    return state != states_.end() && state->second.open.has_value();
}

void Breakers::leave_out(const std::string& name, DbTime until)
{
    states_[name].open = until;
}

Breakers::Change Breakers::tried(const std::string& name, core::Health health, int failures_to_open,
                                 DbTime open_until)
{
    State& state = states_[name];
    switch (health) {
    case core::Health::silent:
        return Change::none;
    case core::Health::good: {
        const bool was_open = state.open.has_value();
        state = {};
        return was_open ? Change::closes : Change::none;
    }
    case core::Health::bad:
        break;
    }
    ++state.failures;
    if (!state.open && state.failures < failures_to_open) {
        return Change::none;
    }
    state.open = open_until;
    return Change::opens;
}

int Breakers::failures(const std::string& name) const
{
    const auto state = states_.find(name);
    return state == states_.end() ? 0 : state->second.failures;
}

} // namespace sagabox::engine
