#include "api/health.hpp"

#include "api/answer.hpp"
#include "store/overview.hpp"

#include <utility>

namespace sagabox::api {

namespace {

http::Response ready(const Result<int>& schema, const RelayState& relay)
{
    json::Object database;
    database.set("reachable", schema.has_value());
    database.set("schemaVersion", schema ? json::Value::integer(*schema) : json::Value{});
    json::Object workers;
    workers.set("started", relay.started);
    workers.set("databaseUp", relay.database_up);
    workers.set("listening", relay.listening);
    const bool good = schema.has_value() && relay.started && relay.database_up;

    json::Object form;
    if (!good) {
        form.set("type", "about:blank");
        form.set("title", "Service Unavailable");
        form.set("detail", !schema          ? "The database cannot be reached just now."
                           : !relay.started ? "The relay has not started yet."
                                            : "Not all workers can reach the database.");
    }
    form.set("status", good ? json::Value("ready") : json::Value::integer(503));
    form.set("database", std::move(database));
    form.set("relay", std::move(workers));
    http::Response response = json_answer(good ? 200 : 503, form);
    if (!good) {
        response.headers = {{"Content-Type", "application/problem+json"}, {"Retry-After", "1"}};
    }
    return response;
}

} // namespace

void add_health_routes(Router& router, Database& database, std::function<RelayState()> relay,
                       std::string version)
{
    json::Object alive;
    alive.set("status", "up");
    alive.set("version", std::move(version));
    router.add(
        {"GET",
         "/healthz",
         {},
         [alive = json::Value(std::move(alive))](const Call&) { return json_answer(200, alive); },
         Access::Needs::nothing});
    router.add({"GET",
                "/readyz",
                {},
                [&database, relay = std::move(relay)](const Call&) {
                    const Result<int> schema =
                        database.ask<int>([](pg::Connection& connection, Deadline deadline) {
                            return store::find_schema_version(connection, deadline);
                        });
                    return ready(schema, relay());
                },
                Access::Needs::nothing});
}

} // namespace sagabox::api
