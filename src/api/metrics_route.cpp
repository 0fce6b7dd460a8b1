#include "api/metrics_route.hpp"

#include <utility>

namespace sagabox::api {

void add_metrics_route(Router& router, std::function<std::string()> page)
{
    router.add({"GET", "/metrics", {}, [page = std::move(page)](const Call&) {
                    http::Response response;
                    response.headers.emplace_back("Content-Type",
                                                  "text/plain; version=0.0.4; charset=utf-8");
                    response.body = page();
                    return response;
                }});
}

} // namespace sagabox::api
