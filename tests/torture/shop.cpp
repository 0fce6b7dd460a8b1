#include "tests/torture/shop.hpp"

#include "tests/torture/dice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sagabox::torture::shop {

namespace {

constexpr std::string_view created = "OrderCreated";
constexpr std::string_view amended = "OrderAmended";
constexpr std::string_view updated = "OrderStatusUpdated";

constexpr int high_risk = 75;
constexpr int low_risk = 25;

std::string revert_block(const testing::StubServer& services, std::string_view destination)
{
    const std::string url = services.url(undo_path_of(destination));
    switch (undo_of(destination)) {
    case Undo::never:
        return "";
    case Undo::by_answer:
        return fmt::format("revert {{ url = \"{}?id={{id}}\", method = \"DELETE\", timeout = 1 "
                           "second, extract {{ id = \"response:$.id\" }} }}",
                           url);
    case Undo::by_key:
        return fmt::format("revert {{ url = \"{}?key={{idempotencyKey}}\", method = \"DELETE\", "
                           "timeout = 1 second }}",
                           url);
    }
    return "";
}

std::string plain_route(const testing::StubServer& services, std::string_view destination)
{
    return fmt::format("outbox.http.routes.{} {{ url = \"{}\", timeout = 1 second, {} }}\n",
                       destination, services.url(paths_of(destination).front()),
                       revert_block(services, destination));
}

/// One of several routes of a destination.
std::string choice(const testing::StubServer& services, std::string_view destination,
                   std::string_view path, std::string_view condition)
{
    return fmt::format("  {{ url = \"{}\", timeout = 1 second, condition {{ {} }}, {} }}\n",
                       services.url(path), condition, revert_block(services, destination));
}

} // namespace

std::string aggregate_of(std::int64_t order)
{
    return fmt::format("order-{}", order);
}

std::string_view schema()
{
    return "create table orders (id bigint primary key, aggregate text unique not null, "
           "completed int not null default 0, compensated int not null default 0, "
           "failed int not null default 0, cancelled int not null default 0);"
           "create table intents (key text primary key, aggregate text not null, "
           "event_type text not null)";
}

std::string config(const testing::StubServer& services)
{
    std::string text =
        "http.port = 0\n"
        "outbox.poolSize = 2\n"
        "outbox.leaseDuration = 2 seconds\n"
        "outbox.cleanupInterval = 500 milliseconds\n"
        "outbox.pollInterval = 300 milliseconds\n"
        "outbox.dlq.pollInterval = 300 milliseconds\n"
        "outbox.shutdownGrace = 2 seconds\n"
        "outbox.maxRetries = 4\n"
        "outbox.dlq.maxRetries = 6\n"
        "outbox.maxRetryAfter = 1 second\n"
        "outbox.backoff { kind = linear, base = 100 milliseconds, max = 1 second }\n";
    for (const std::string_view destination : {"inventory", "fraud", "notifications"}) {
        text += plain_route(services, destination);
    }
    text += "outbox.http.routes.shipping.routes = [\n";
    for (const std::string_view type : {"domestic", "international"}) {
        text +=
            choice(services, "shipping", fmt::format("/shipping/{}", type),
                   fmt::format("jsonPath = \"$.type\", operator = \"eq\", value = \"{}\"", type));
    }
    text += "]\noutbox.http.routes.billing.routes = [\n";
    text += choice(services, "billing", "/billing/usual",
                   "jsonPath = \"$.risk\", operator = \"lt\", value = \"50\", "
                   "previousDestination = \"fraud\"");
    text += choice(services, "billing", "/billing/high",
                   "jsonPath = \"$.risk\", operator = \"gte\", value = \"50\", "
                   "previousDestination = \"fraud\"");
    text += "]\n";
    for (const std::string_view type : {created, amended, updated}) {
        text += fmt::format("outbox.http.fanout.{} = [{}]\n", type, fmt::join(fanout(type), ", "));
    }
    const auto count = [](std::string_view column) {
        return fmt::format("\"update orders set {0} = {0} + 1 where aggregate = :aggregate_id\"",
                           column);
    };
    text +=
        fmt::format("outbox.outcomes.OrderCreated {{ completed = {}, compensated = {}, failed = "
                    "{} }}\n",
                    count("completed"), count("compensated"), count("failed"));
    text +=
        fmt::format("outbox.outcomes.\"!OrderCreated\" {{ completed = {} }}\n", count("cancelled"));
    return text;
}

std::vector<std::string> fanout(std::string_view event_type)
{
    if (event_type == created) {
        return {"inventory", "fraud", "shipping", "billing"};
    }
    if (event_type == amended) {
        return {"fraud", "billing", "inventory"};
    }
    if (event_type == updated) {
        return {"notifications"};
    }
    return {};
}

Undo undo_of(std::string_view destination)
{
    if (destination == "inventory") {
        return Undo::by_answer;
    }
    return destination == "shipping" || destination == "billing" ? Undo::by_key : Undo::never;
}

Fate fate_of(std::uint64_t seed, std::string_view aggregate)
{
    Dice dice(seed_of(seed, aggregate));
    Fate fate;
    fate.shipping = dice.pick(std::vector<std::string>{"domestic", "international", "pickup"});
    fate.risk = dice.chance(50) ? high_risk : low_risk;
    const std::vector<std::string> steps{"inventory", "shipping", "billing", "billing"};
    const int lot = dice.between(0, 99);
    if (lot < 12) {
        fate.refusing = dice.pick(steps);
    } else if (lot < 17) {
        fate.stuck = dice.pick(steps);
    }
    if (dice.chance(5)) {
        fate.kept = dice.pick(steps);
    }
    return fate;
}

std::string path_of(std::string_view destination, const Fate& fate, std::string_view event_type)
{
    if (destination == "shipping") {
        return event_type == created && fate.shipping != "pickup" ? "/shipping/" + fate.shipping
                                                                  : std::string();
    }
    if (destination == "billing") {
        return fate.risk < 50 ? "/billing/usual" : "/billing/high";
    }
    return paths_of(destination).front();
}

std::vector<std::string> paths_of(std::string_view destination)
{
    if (destination == "shipping") {
        return {"/shipping/domestic", "/shipping/international"};
    }
    if (destination == "billing") {
        return {"/billing/usual", "/billing/high"};
    }
    return {fmt::format("/{}", destination)};
}

std::vector<std::string> destinations()
{
    return {"inventory", "fraud", "shipping", "billing", "notifications"};
}

std::string undo_path_of(std::string_view destination)
{
    return fmt::format("/{}/undo", destination);
}

} // namespace sagabox::torture::shop
