#include "api/health.hpp"

#include "api/answer.hpp"
#include "store/overview.hpp"

#include <utility>

#include <fmt/format.h>

namespace sagabox::api {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

double seconds(milliseconds time)
{
    return std::chrono::duration<double>(time).count();
}

struct Problem {
    std::string code; ///< stable, for programs
    std::string detail;
};

std::vector<Problem> stuck(const RelayState& relay, const HealthLimits& limits)
{
    if (relay.standstill <= limits.stuck_after) {
        return {};
    }
    return {{"worker_stuck",
             fmt::format("A worker has stood still for {:.1f} s.", seconds(relay.standstill))}};
}

std::vector<Problem> problems_of(const Result<store::Vitals>& vitals, const RelayState& relay,
                                 const HealthLimits& limits)
{
    std::vector<Problem> found = stuck(relay, limits);
    if (!vitals) {
        found.push_back({"database_unreachable", "The database cannot be reached just now."});
    }
    if (!relay.started) {
        found.push_back({"relay_not_started", "The relay has not started yet."});
    } else if (!relay.database_up) {
        found.push_back({"claims_fail", "Not all workers can claim events; the log says why."});
    }
    if (vitals && vitals->oldest_pending > limits.max_age) {
        const auto age = duration_cast<milliseconds>(*vitals->oldest_pending);
        found.push_back(
            {"events_wait",
             fmt::format("An event that could be taken has waited for {:.1f} s.", seconds(age))});
    }
    for (const auto& one : relay.failing) {
        if (one.lasting >= limits.destination_down_after) {
            found.push_back(
                {"destination_down",
                 fmt::format("{} has brought nothing but failures, {} of them, for {:.1f} s.",
                             one.destination, one.failures, seconds(one.lasting))});
        }
    }
    return found;
}

json::Array problems_form(std::vector<Problem> problems)
{
    json::Array form;
    for (Problem& problem : problems) {
        json::Object one;
        one.set("code", std::move(problem.code));
        one.set("detail", std::move(problem.detail));
        form.emplace_back(std::move(one));
    }
    return form;
}

json::Object relay_form(const RelayState& relay)
{
    json::Object form;
    form.set("started", relay.started);
    form.set("databaseUp", relay.database_up);
    form.set("listening", relay.listening);
    json::Array failing;
    for (const auto& one : relay.failing) {
        json::Object destination;
        destination.set("destination", one.destination);
        destination.set("failingForMs", json::Value::integer(one.lasting.count()));
        destination.set("failures", json::Value::integer(one.failures));
        failing.emplace_back(std::move(destination));
    }
    form.set("failingDestinations", std::move(failing));
    return form;
}

json::Object database_form(const Result<store::Vitals>& vitals)
{
    json::Object form;
    form.set("reachable", vitals.has_value());
    form.set("schemaVersion",
             vitals ? json::Value::integer(vitals->schema_version) : json::Value{});
    form.set(
        "oldestPendingAgeMs",
        vitals && vitals->oldest_pending
            ? json::Value::integer(duration_cast<milliseconds>(*vitals->oldest_pending).count())
            : json::Value{});
    return form;
}

/// The members of a problem document where there are problems; RFC 9457.
http::Response answer_with(json::Object form, std::vector<Problem> problems, const char* good)
{
    const bool healthy = problems.empty();
    if (!healthy) {
        form.set("type", "about:blank");
        form.set("title", "Service Unavailable");
        form.set("detail", problems.front().detail);
    }
    form.set("status", healthy ? json::Value(good) : json::Value::integer(503));
    form.set("problems", problems_form(std::move(problems)));
    http::Response response = json_answer(healthy ? 200 : 503, form);
    if (!healthy) {
        response.headers = {{"Content-Type", "application/problem+json"}, {"Retry-After", "1"}};
    }
    return response;
}

http::Response alive(const RelayState& relay, const HealthLimits& limits,
                     const std::string& version)
{
    json::Object form;
    form.set("version", version);
    return answer_with(std::move(form), stuck(relay, limits), "up");
}

http::Response ready(const Result<store::Vitals>& vitals, const RelayState& relay,
                     const HealthLimits& limits)
{
    json::Object form;
    form.set("database", database_form(vitals));
    form.set("relay", relay_form(relay));
    return answer_with(std::move(form), problems_of(vitals, relay, limits), "ready");
}

} // namespace

void add_health_routes(Router& router, Database& database, std::function<RelayState()> relay,
                       HealthLimits limits, std::string version)
{
    router.add({"GET",
                "/healthz",
                {},
                [relay, limits, version = std::move(version)](const Call&) {
                    return alive(relay(), limits, version);
                },
                Access::Needs::nothing});
    router.add({"GET",
                "/readyz",
                {},
                [&database, relay = std::move(relay), limits](const Call&) {
                    const Result<store::Vitals> vitals = database.ask<store::Vitals>(
                        [](pg::Connection& connection, Deadline deadline) {
                            return store::read_vitals(connection, deadline);
                        });
                    return ready(vitals, relay(), limits);
                },
                Access::Needs::nothing});
}

} // namespace sagabox::api
