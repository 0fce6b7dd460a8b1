#pragma once

#include "core/call.hpp"
#include "core/plan.hpp"
#include "core/saga.hpp"
#include "simulate/samples.hpp"
#include "simulate/variables.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sagabox::simulate {

/// One candidate for each variable, by its place among the candidates.
using Case = std::vector<std::size_t>;

/// What is sent and answered in one case: samples where there are any, else documents that hold
/// what conditions, URLs and undos look for.
class World {
public:
    World(const std::vector<const core::Destination*>& steps, const Samples& samples,
          const std::vector<Variable>& variables, const Case& chosen);

    /// The event that the application emits, as a worker holds it.
    [[nodiscard]] core::Event event(std::string_view type) const;

    /// What the destination answers a call that went well.
    [[nodiscard]] const json::Value& answer(std::string_view destination, int route) const;

private:
    json::Object payloads_;
    std::map<std::pair<std::string, int>, json::Value, std::less<>> answers_;
};

} // namespace sagabox::simulate
