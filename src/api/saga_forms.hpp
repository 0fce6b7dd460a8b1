#pragma once

#include "api/forms.hpp"
#include "core/plan.hpp"
#include "store/saga_views.hpp"
#include "store/traffic.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>

namespace sagabox::api {

// The JSON forms of what the console draws whole pages from (docs/openapi.json: Saga, Traffic).

/// With the steps that the plan in force would make, so that a reader sees what is still to come.
[[nodiscard]] json::Value saga_list_form(const store::Sagas& sagas,
                                         std::optional<std::int64_t> next, const core::Plan& plan);

[[nodiscard]] json::Value traffic_form(const store::Traffic& traffic);

} // namespace sagabox::api
