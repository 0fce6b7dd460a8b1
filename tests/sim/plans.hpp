#pragma once

#include "core/plan.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace sagabox::sim {

/// Random configurations, each made from its own number alone and made once: building a plan costs
/// more than running a saga.
///
/// A forward URL is `http://<destination>.example/r<route>/do…`, a revert's is
/// `http://<destination>.example/r<route>/undo/<by>/<value>` with `by` one of `id` (from the
/// answer), `ref` (from the request) and `key` (the idempotency key), so that the outside world can
/// tell whether what arrives is what was meant.
class PlanPool {
public:
    static constexpr std::size_t size = 96;

    [[nodiscard]] const core::Plan& plan(std::size_t number);

private:
    std::map<std::size_t, std::unique_ptr<const core::Plan>> plans_;
};

/// An event type that no plan knows.
inline constexpr std::string_view unknown_type = "Lost";

} // namespace sagabox::sim
