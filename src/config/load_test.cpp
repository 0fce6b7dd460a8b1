#include "config/config_fixture.hpp"

#include "core/call.hpp"

namespace sagabox::config {
namespace {

using namespace std::chrono_literals;

/// A shop's file as a Play application would carry it, with the sections of its other parts.
constexpr const char* shop = R"hocon(
play {
  http.secret.key = "changeme-changeme"
  modules.enabled += "modules.Startup"
  filters.hosts.allowed = ["."]
}
slick.dbs.default {
  profile = "slick.jdbc.PostgresProfile$"
  db { url = "jdbc:postgresql://localhost:5432/shop", numThreads = 20 }
}
blocking-jdbc { executor = "thread-pool-executor", throughput = 1 }

base = "http://localhost:9000/api"

outbox {
  pollInterval = 2 seconds
  batchSize = 50
  poolSize = 2
  maxRetries = 4
  useListenNotify = true
  enableStaleEventCleanup = true
  staleEventTimeoutMinutes = 5
  cleanupInterval = 1 minute
  dlq { maxRetries = 5, pollInterval = 3 seconds }

  http.routes {
    inventory {
      url = ${base}"/inventory/reserve"
      method = "POST"
      timeout = 5 seconds
      headers { X-Caller = "shop" }
      revert {
        url = ${base}"/inventory/{reservationId}/release"
        method = "DELETE"
        extract { reservationId = "response:$.reservationId" }
        timeout = 7 seconds
      }
    }
    fraudCheck {
      url = ${base}"/fraud/check"
      retryAfter {
        headerName = "X-Wait", format = "auto", fromBody = false
        jsonPath = "$.retryAfter", fallbackSeconds = 30
      }
    }
    shipping {
      method = "PUT"
      timeout = 9 seconds
      headers { X-Caller = "shop", X-Lane = "default" }
      classify { success = [409] }
      routes = [
        {
          url = ${base}"/domestic-shipping"
          condition { jsonPath = "$.shippingType", operator = "eq", value = "domestic" }
          headers { x-lane = "domestic" }
          revert {
            url = ${base}"/domestic-shipping/{shipmentId}/cancel"
            method = "POST"
            extract { shipmentId = "response:$.shipmentId", why = "request:$.reason" }
            payload = """{"shipment": "{shipmentId}", "reason": {why}}"""
          }
        },
        {
          url = ${base}"/international-shipping"
          method = "POST"
          timeout = 20 seconds
          condition { jsonPath = "$.shippingType", operator = "eq", value = "international" }
        }
      ]
    }
    billing {
      routes = [
        {
          url = ${base}"/billing"
          condition { jsonPath = "$.riskScore", operator = "lt", value = "50", previousDestination = "fraudCheck" }
          revert {
            url = ${base}"/billing/{id}/refund"
            method = "POST"
            extract { id = "response:$.transaction.id", amount = "request:$.amount" }
            payload { amount = "{amount}", currency = "EUR", lines = [1, 2.50, true, null] }
          }
        },
        {
          url = ${base}"/high-value-processing"
          condition { jsonPath = "$.riskScore", operator = "gte", value = 50, previousDestination = "fraudCheck" }
        }
      ]
    }
    notifications { url = ${base}"/notifications/{kind}" }
  }
  http.fanout {
    OrderCreated = ["inventory", "fraudCheck", "shipping", "billing"]
    OrderStatusUpdated = ["notifications"]
    "order.shipped" = ["notifications"]
  }
  outcomes.OrderCreated {
    completed = "UPDATE orders SET order_status = 'CONFIRMED' WHERE id = :aggregate_id::bigint"
    failed = """
      UPDATE orders SET note = :reason WHERE id = :aggregate_id::bigint
    """
  }
}

service.failure.rates {
  billing.charge = 0.3
  shipping.domestic.create = 0.05
}
)hocon";

TEST(Load, takes_a_shop_of_the_reference_kind_as_it_is)
{
    const Folder folder;
    const Loaded loaded = load_file(folder.write("application.conf", shop));
    ASSERT_TRUE(loaded.settings) << problems_of(loaded);
    const Settings& settings = *loaded.settings;
    EXPECT_EQ(settings.relay.batch_size, 50);
    EXPECT_EQ(settings.relay.pool_size, 2);
    EXPECT_EQ(settings.relay.lease_duration, 5min);
    EXPECT_EQ(settings.relay.letter_poll_interval, 3s);
    EXPECT_EQ(settings.plan->max_retries, 4);
    EXPECT_EQ(settings.plan->revert_max_retries, 5);
    EXPECT_EQ(settings.plan->destinations.size(), 5U);
    EXPECT_EQ(settings.plan->fanouts.at("OrderCreated"),
              (std::vector<std::string>{"inventory", "fraudCheck", "shipping", "billing"}));
    EXPECT_TRUE(settings.plan->fanouts.contains("order.shipped"));
    EXPECT_EQ(settings.failure_rates,
              (std::map<std::string, double>{{"billing.charge", 0.3},
                                             {"shipping.domestic.create", 0.05}}));
    EXPECT_FALSE(settings.database.url);
    EXPECT_NE(settings.plan->outcomes.at("OrderCreated").failed.find(":reason"), std::string::npos);
    EXPECT_EQ(settings.plan->outcomes.at("OrderCreated").compensated, "");
}

TEST(Load, reads_a_single_route_with_its_revert)
{
    const Settings settings = settings_in(shop);
    const core::Route& route = settings.plan->destination("inventory")->routes.at(0);
    EXPECT_EQ(route.url.text(), "http://localhost:9000/api/inventory/reserve");
    EXPECT_EQ(route.method, "POST");
    EXPECT_EQ(route.timeout, 5s);
    EXPECT_FALSE(route.condition);
    ASSERT_TRUE(route.revert);
    EXPECT_EQ(route.revert->method, "DELETE");
    EXPECT_EQ(route.revert->timeout, 7s);
    EXPECT_EQ(route.revert->url.placeholders(), std::vector<std::string>{"reservationId"});
    ASSERT_EQ(route.revert->extract.size(), 1U);
    EXPECT_EQ(route.revert->extract[0].source, core::Source::response);
    EXPECT_FALSE(route.revert->payload);
}

TEST(Load, lets_routes_inherit_from_their_destination)
{
    const Settings settings = settings_in(shop);
    const auto& routes = settings.plan->destination("shipping")->routes;
    ASSERT_EQ(routes.size(), 2U);
    EXPECT_EQ(routes[0].method, "PUT");
    EXPECT_EQ(routes[0].timeout, 9s);
    EXPECT_EQ(routes[0].headers, (core::Headers{{"x-lane", "domestic"}, {"X-Caller", "shop"}}));
    EXPECT_EQ(routes[1].method, "POST");
    EXPECT_EQ(routes[1].timeout, 20s);
    EXPECT_EQ(routes[1].headers, (core::Headers{{"X-Caller", "shop"}, {"X-Lane", "default"}}));
    for (const core::Route& route : routes) {
        ASSERT_EQ(route.classify.success.size(), 1U);
        EXPECT_EQ(route.classify.success[0].first, 409);
    }
}

TEST(Load, reads_conditions_and_their_previous_destination)
{
    const Settings settings = settings_in(shop);
    const auto& routes = settings.plan->destination("billing")->routes;
    ASSERT_EQ(routes.size(), 2U);
    EXPECT_EQ(routes[0].condition->op, core::Operator::lt);
    EXPECT_EQ(routes[0].condition->value, "50");
    EXPECT_EQ(routes[0].condition->previous_destination, "fraudCheck");
    EXPECT_EQ(routes[0].condition->path.text(), "$.riskScore");
    EXPECT_EQ(routes[1].condition->op, core::Operator::gte);
    EXPECT_EQ(routes[1].condition->value, "50");
}

TEST(Load, reads_a_payload_written_as_text_or_as_hocon)
{
    const Settings settings = settings_in(shop);
    const json::Value id("A 1");
    const json::Value number(json::Number{"99.90"});
    const core::Lookup lookup = [&](std::string_view name) -> const json::Value* {
        return name == "shipmentId" ? &id : &number;
    };
    const auto& shipping = settings.plan->destination("shipping")->routes[0].revert->payload;
    ASSERT_TRUE(shipping);
    EXPECT_EQ(json::write(shipping->fill(lookup).value()), R"({"reason":99.90,"shipment":"A 1"})");
    const auto& billing = settings.plan->destination("billing")->routes[0].revert->payload;
    ASSERT_TRUE(billing);
    EXPECT_EQ(json::write(billing->fill(lookup).value()),
              R"({"lines":[1,2.50,true,null],"amount":"99.90","currency":"EUR"})");
}

TEST(Load, reads_how_long_a_service_asks_to_wait)
{
    const Settings settings = settings_in(shop);
    const core::RetryAfterRule& rule =
        settings.plan->destination("fraudCheck")->routes[0].retry_after;
    EXPECT_EQ(rule.header_name, "X-Wait");
    EXPECT_EQ(rule.format, core::RetryAfterFormat::automatic);
    EXPECT_FALSE(rule.from_body);
    EXPECT_EQ(rule.json_path->text(), "$.retryAfter");
    EXPECT_EQ(rule.fallback, 30s);
}

TEST(Load, gives_a_revert_its_route_s_waiting_rule_unless_it_has_its_own)
{
    const Settings settings =
        settings_in("outbox.http.routes.a { url = \"http://h/\", retryAfter.headerName = X-One\n"
                    "routes = null, revert { url = \"http://h/\" } }\n"
                    "outbox.http.routes.b { url = \"http://h/\", retryAfter.headerName = X-One\n"
                    "revert { url = \"http://h/\", retryAfter.headerName = X-Two } }");
    EXPECT_EQ(settings.plan->destination("a")->routes[0].revert->retry_after.header_name, "X-One");
    EXPECT_EQ(settings.plan->destination("b")->routes[0].revert->retry_after.header_name, "X-Two");
}

TEST(Load, lets_the_lease_duration_win_over_its_older_name)
{
    EXPECT_EQ(settings_in("outbox { leaseDuration = 10 s, staleEventTimeoutMinutes = 5 }")
                  .relay.lease_duration,
              10s);
    EXPECT_EQ(settings_in("outbox.staleEventTimeoutMinutes = 2").relay.lease_duration, 2min);
    EXPECT_EQ(settings_in("").relay.lease_duration, 30s);
}

TEST(Load, reads_every_other_setting)
{
    const Settings settings = settings_in(
        "database { url = \"host=h dbname=d\", listenUrl = \"postgres://h2/d\", schema = shop\n"
        "preparedStatements = false }\n"
        "outbox { ordering = none, maxInFlight = 10, useListenNotify = off, retention = 30 days\n"
        "enableStaleEventCleanup = no, shutdownGrace = 3 s, cleanupInterval = 10 s\n"
        "maxRetryAfter = 10 minutes, backoff { kind = linear, base = 1 s, max = 10 s, jitter = "
        "0.25 } }\n"
        "http { address = \"::1\", port = 8080, auth.token = t0k3n }");
    EXPECT_EQ(settings.database.url, "host=h dbname=d");
    EXPECT_EQ(settings.database.listen_url, "postgres://h2/d");
    EXPECT_EQ(settings.database.schema, "shop");
    EXPECT_FALSE(settings.database.prepared_statements);
    EXPECT_EQ(settings.relay.ordering, Relay::Ordering::none);
    EXPECT_EQ(settings.relay.max_in_flight, 10);
    EXPECT_FALSE(settings.relay.use_listen_notify);
    EXPECT_FALSE(settings.relay.stale_event_cleanup);
    EXPECT_EQ(settings.relay.retention, 720h);
    EXPECT_EQ(settings.relay.shutdown_grace, 3s);
    EXPECT_EQ(settings.relay.cleanup_interval, 10s);
    EXPECT_EQ(settings.plan->max_retry_after, 10min);
    EXPECT_EQ(settings.plan->backoff.kind, core::BackoffKind::linear);
    EXPECT_EQ(settings.plan->backoff.base, 1s);
    EXPECT_EQ(settings.plan->backoff.max, 10s);
    EXPECT_EQ(settings.plan->backoff.jitter, 0.25);
    EXPECT_EQ(settings.http.address, "::1");
    EXPECT_EQ(settings.http.port, 8080);
    EXPECT_EQ(settings.http.token, "t0k3n");
}

TEST(Load, declares_the_same_defaults_as_the_structs_have)
{
    const Settings declared = defaults();
    const Settings plain;
    EXPECT_EQ(declared.database.schema, plain.database.schema);
    EXPECT_EQ(declared.database.prepared_statements, plain.database.prepared_statements);
    EXPECT_EQ(declared.relay.poll_interval, plain.relay.poll_interval);
    EXPECT_EQ(declared.relay.batch_size, plain.relay.batch_size);
    EXPECT_EQ(declared.relay.pool_size, plain.relay.pool_size);
    EXPECT_EQ(declared.relay.max_in_flight, plain.relay.max_in_flight);
    EXPECT_EQ(declared.relay.use_listen_notify, plain.relay.use_listen_notify);
    EXPECT_EQ(declared.relay.stale_event_cleanup, plain.relay.stale_event_cleanup);
    EXPECT_EQ(declared.relay.lease_duration, plain.relay.lease_duration);
    EXPECT_EQ(declared.relay.cleanup_interval, plain.relay.cleanup_interval);
    EXPECT_EQ(declared.relay.shutdown_grace, plain.relay.shutdown_grace);
    EXPECT_EQ(declared.relay.retention, plain.relay.retention);
    EXPECT_EQ(declared.relay.ordering, plain.relay.ordering);
    EXPECT_EQ(declared.relay.letter_poll_interval, plain.relay.letter_poll_interval);
    EXPECT_EQ(declared.http.address, plain.http.address);
    EXPECT_EQ(declared.http.port, plain.http.port);
    const core::Plan plan;
    EXPECT_EQ(declared.plan->max_retries, plan.max_retries);
    EXPECT_EQ(declared.plan->revert_max_retries, plan.revert_max_retries);
    EXPECT_EQ(declared.plan->backoff.kind, plan.backoff.kind);
    EXPECT_EQ(declared.plan->backoff.base, plan.backoff.base);
    EXPECT_EQ(declared.plan->backoff.max, plan.backoff.max);
    EXPECT_EQ(declared.plan->backoff.jitter, plan.backoff.jitter);
    EXPECT_EQ(declared.plan->max_retry_after, plan.max_retry_after);
}

TEST(Load, reads_a_changed_file_anew)
{
    const Folder folder;
    const std::string path = folder.write("a.conf", "outbox.batchSize = 5");
    EXPECT_EQ(load_file(path).settings->relay.batch_size, 5);
    folder.write("a.conf", "outbox.batchSize = 6");
    EXPECT_EQ(load_file(path).settings->relay.batch_size, 6);
}

} // namespace
} // namespace sagabox::config
