#pragma once

#include "api/database.hpp"
#include "api/plan_in_force.hpp"
#include "api/router.hpp"

namespace sagabox::api {

/// Operations on events and dead letters, and what a person may do about them. What they are given
/// must outlive the router.
void add_outbox_routes(Router& router, Database& database, const PlanInForce& plans);
void add_letter_routes(Router& router, Database& database, const PlanInForce& plans);

} // namespace sagabox::api
