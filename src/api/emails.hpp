#pragma once

#include "api/database.hpp"
#include "api/plan_in_force.hpp"
#include "api/router.hpp"

#include <cstddef>

namespace sagabox::api {

/// Operations on e-mail. `max_body`: of a message that is handed in, its attachments in base64.
/// Where the plan in force sends no mail, nothing is taken in; what is stored can still be read.
void add_email_routes(Router& router, Database& database, const PlanInForce& plans,
                      std::size_t max_body);

} // namespace sagabox::api
