#pragma once

#include "api/database.hpp"
#include "api/plan_in_force.hpp"
#include "api/router.hpp"

namespace sagabox::api {

/// What the console draws whole pages from in one question each:
///
///     GET /api/outbox/sagas?status=&type=&aggregate=&before=&limit=   events with how their steps
///     stand GET /api/outbox/sagas?ids=7,9                                   just these GET
///     /api/outbox/traffic                                         how destinations answered lately
///     GET /api/outbox/events/{id}/explain                             why it went so, how to undo
///     it GET /api/emails/{id}/preview                                    a message as a page that
///     can do nothing
///
/// Each looks at a bounded number of rows. What is given must outlive the router.
void add_console_routes(Router& router, Database& database, const PlanInForce& plans);

} // namespace sagabox::api
