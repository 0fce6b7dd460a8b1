#include "core/plan.hpp"

#include <algorithm>

namespace sagabox::core {

std::optional<std::vector<const Destination*>> Plan::steps_of(std::string_view event_type) const
{
    const auto fanout = fanouts.find(event_type);
    if (fanout == fanouts.end()) {
        if (const Destination* own = destination(event_type)) {
            return std::vector<const Destination*>{own};
        }
        return std::nullopt;
    }

    std::vector<const Destination*> steps;
    steps.reserve(fanout->second.size());
    for (const std::string& name : fanout->second) {
        const Destination* step = destination(name);
        if (step == nullptr) {
            // Going on without it would complete a saga that has a step missing.
            return std::nullopt;
        }
        steps.push_back(step);
    }
    return steps;
}

const Destination* Plan::destination(std::string_view name) const
{
    const auto found = destinations.find(name);
    return found == destinations.end() ? nullptr : &found->second;
}

std::string Plan::shown_url(std::string_view url) const
{
    std::string shown = UrlTemplate::without_secrets(url);
    const std::size_t scheme = shown.find("://");
    const std::size_t path =
        std::min(shown.find('/', scheme == std::string::npos ? 0 : scheme + 3), shown.size());
    for (const std::string& secret : secrets) {
        if (secret.empty() || secret.find("://") != std::string::npos) {
            continue;
        }
        for (std::size_t at = shown.find(secret, path); at != std::string::npos;
             at = shown.find(secret, at)) {
            shown.replace(at, secret.size(), "***");
            at += 3;
        }
    }
    return shown;
}

} // namespace sagabox::core
