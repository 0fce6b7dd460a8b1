#include "core/plan.hpp"

#include <gtest/gtest.h>

namespace sagabox::core {
namespace {

Plan shop()
{
    Plan plan;
    for (const char* name : {"inventory", "billing", "OrderShipped"}) {
        plan.destinations[name] = Destination{name, {Route{}}};
    }
    plan.fanouts["OrderCreated"] = {"inventory", "billing"};
    plan.fanouts["OrderIgnored"] = {};
    plan.fanouts["OrderBroken"] = {"inventory", "nobody"};
    return plan;
}

std::optional<std::vector<std::string>> names(const Plan& plan, std::string_view type)
{
    const auto steps = plan.steps_of(type);
    if (!steps) {
        return std::nullopt;
    }
    std::vector<std::string> out;
    for (const Destination* step : *steps) {
        out.push_back(step->name);
    }
    return out;
}

using Names = std::vector<std::string>;

TEST(Plan, gives_a_fan_out_in_its_order)
{
    EXPECT_EQ(names(shop(), "OrderCreated"), (Names{"inventory", "billing"}));
}

TEST(Plan, sends_a_type_without_fan_out_to_the_destination_of_its_own_name)
{
    EXPECT_EQ(names(shop(), "OrderShipped"), (Names{"OrderShipped"}));
}

TEST(Plan, has_no_steps_for_an_unknown_type)
{
    EXPECT_EQ(names(shop(), "OrderLost"), std::nullopt);
}

TEST(Plan, tells_an_empty_fan_out_from_none)
{
    EXPECT_EQ(names(shop(), "OrderIgnored"), Names{});
}

TEST(Plan, does_not_pass_over_a_destination_that_is_not_configured)
{
    EXPECT_EQ(names(shop(), "OrderBroken"), std::nullopt);
}

TEST(Plan, finds_a_destination_by_name)
{
    const Plan plan = shop();
    ASSERT_NE(plan.destination("billing"), nullptr);
    EXPECT_EQ(plan.destination("billing")->name, "billing");
    EXPECT_EQ(plan.destination("Billing"), nullptr);
}

TEST(Plan, shows_a_url_without_the_secrets_in_its_path_but_with_its_host)
{
    Plan plan;
    plan.secrets = {"http://h.example/api", "hook-secret", "example"};
    EXPECT_EQ(plan.shown_url("http://u:p@h.example/api/hook-secret/x?k=v"),
              "http://h.example/api/***/x?k=***");
    EXPECT_EQ(plan.shown_url("http://h.example"), "http://h.example");
}

} // namespace
} // namespace sagabox::core
