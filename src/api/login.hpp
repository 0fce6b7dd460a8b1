#pragma once

#include "api/access.hpp"
#include "api/router.hpp"

namespace sagabox::api {

/// `POST /api/session {token}`: lets a browser in for twelve hours, by a cookie that no script can
/// read and no other site can make the browser send. `access` must outlive the router.
void add_login_route(Router& router, Access& access);

} // namespace sagabox::api
