#include "simulate/plan_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::simulate {
namespace {

using core::Operator;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string story_of(const Finding& finding)
{
    std::string all;
    for (const std::string& line : finding.story) {
        all += line + '\n';
    }
    return all;
}

TEST(Explore, finds_nothing_where_every_step_can_be_undone_without_an_answer)
{
    const Report report = Simulation{}.run();
    EXPECT_THAT(report.findings, IsEmpty()) << in_words(report);
    EXPECT_GT(report.stories, 200U);
    EXPECT_TRUE(report.every_pair);
}

TEST(Explore, finds_a_step_without_an_undo_before_one_that_may_fail_and_tells_the_shortest_story)
{
    Simulation simulation;
    simulation.route("a").revert.reset();
    const Report report = simulation.run();
    ASSERT_THAT(list(report), ElementsAre("no-undo a"));
    const Finding& finding = report.findings.front();
    EXPECT_THAT(story_of(finding), AllOf(HasSubstr("b: POST http://b.example/do: refused for good"),
                                         HasSubstr("still in effect: a"), Not(HasSubstr("c:"))));
    EXPECT_EQ(finding.story.size(), 4U);
}

TEST(Explore, asks_for_no_undo_of_the_last_step_save_for_a_cancel)
{
    Simulation simulation;
    simulation.route("c").revert.reset();
    const Report report = simulation.run();
    EXPECT_THAT(list(report), IsEmpty());
    EXPECT_THAT(list(report, Weight::note),
                ::testing::UnorderedElementsAre("cancel-leaves c", "unknown-not-undone c"));
}

TEST(Explore, asks_for_no_undo_of_a_step_that_only_reads)
{
    Simulation simulation;
    simulation.route("a").revert.reset();
    simulation.route("a").method = "GET";
    EXPECT_THAT(simulation.run().findings, IsEmpty());
}

TEST(Explore, counts_no_finding_that_is_accepted)
{
    Simulation simulation;
    simulation.route("a").revert.reset();
    simulation.options.accepted = {"no-undo:b"};
    EXPECT_EQ(simulation.run().count(Weight::finding), 1U);
    simulation.options.accepted = {"no-undo:a"};
    const Report report = simulation.run();
    EXPECT_EQ(report.count(Weight::finding), 0U);
    EXPECT_THAT(list(report, Weight::accepted), ElementsAre("no-undo a"));
}

TEST(Explore, finds_an_undo_that_the_sample_answer_can_not_fill)
{
    Simulation simulation;
    simulation.route("b").revert = revert_by_id("response:$.reservation.id");
    EXPECT_THAT(list(simulation.run()), IsEmpty()) << "an invented answer has what the undo needs";

    simulation.samples.answers.emplace("b", core::json_of(R"({"reservationId": "r-1"})"));
    const Report report = simulation.run();
    ASSERT_THAT(list(report), ElementsAre("undo-not-buildable b"));
    EXPECT_THAT(report.findings.front().what,
                HasSubstr("$.reservation.id matches nothing in b's stored response"));

    simulation.samples.answers.clear();
    simulation.samples.answers.emplace("b#1", core::json_of(R"({"reservation": {"id": 7}})"));
    EXPECT_THAT(list(simulation.run()), IsEmpty());
}

TEST(Explore, finds_an_undo_that_the_sample_payload_can_not_fill)
{
    Simulation simulation;
    simulation.route("a").revert = revert_by_id("request:$.orderId");
    simulation.samples.payloads.emplace("a", core::json_of(R"({"order": 1})"));
    EXPECT_THAT(list(simulation.run()), Contains("undo-not-buildable a"));
}

TEST(Explore, finds_a_call_that_the_sample_payload_can_not_fill)
{
    Simulation simulation;
    simulation.route("b").url = core::must(core::UrlTemplate::parse("http://b.example/{order}"));
    EXPECT_THAT(list(simulation.run()), IsEmpty()) << "path parameters are invented";
    simulation.samples.payloads.emplace("b", core::json_of(R"({"orderId": 1})"));
    EXPECT_THAT(list(simulation.run()), ElementsAre("call-not-buildable b"));
}

TEST(Explore, finds_a_route_behind_one_that_is_always_taken_first)
{
    Simulation simulation;
    auto& routes = simulation.routes("b");
    routes.push_back(when(routes.front(), condition("$.kind", Operator::eq, "special")));
    const Report report = simulation.run();
    ASSERT_THAT(list(report), ElementsAre("route-never-taken b"));
    EXPECT_THAT(report.findings.front().what, HasSubstr("route 2 of b"));
}

TEST(Explore, finds_a_route_whose_condition_the_routes_before_it_leave_nothing)
{
    Simulation simulation;
    auto& routes = simulation.routes("b");
    const core::Route bare = routes.front();
    routes = {when(bare, condition("$.amount", Operator::lt, "100.5")),
              when(bare, condition("$.amount", Operator::gte, "100.50")),
              when(bare, condition("$.amount", Operator::gt, "1000")), bare};
    EXPECT_THAT(list(simulation.run()), ElementsAre("route-never-taken b"));
    routes[1].condition = condition("$.amount", Operator::eq, "100.5");
    EXPECT_THAT(list(simulation.run()), IsEmpty());
}

TEST(Explore, finds_a_gap_between_two_conditions)
{
    Simulation simulation;
    auto& routes = simulation.routes("b");
    const core::Route bare = routes.front();
    routes = {when(bare, condition("$.amount", Operator::lt, "50")),
              when(bare, condition("$.amount", Operator::gt, "50"))};
    const Report report = simulation.run();
    ASSERT_THAT(list(report), ElementsAre("value-gap b"));
    EXPECT_THAT(report.findings.front().what, HasSubstr("with $.amount = 50 in"));
    routes[1].condition = condition("$.amount", Operator::gte, "50");
    EXPECT_THAT(list(simulation.run()), IsEmpty());
}

TEST(Explore, finds_a_condition_on_an_answer_that_may_be_missing)
{
    Simulation simulation;
    auto& routes = simulation.routes("c");
    const core::Route bare = routes.front();
    routes = {when(bare, condition("$.risk", Operator::lt, "50", "b")),
              when(bare, condition("$.risk", Operator::gte, "50", "b"))};
    const Report report = simulation.run();
    ASSERT_THAT(list(report), ElementsAre("answer-missing c"));
    EXPECT_THAT(report.findings.front().what, HasSubstr("b's answer may come without $.risk"));
    EXPECT_THAT(report.findings.front().given, HasSubstr("without $.risk"));

    routes.push_back(bare);
    EXPECT_THAT(list(simulation.run()), IsEmpty()) << "the last route takes what has no answer";
}

TEST(Explore, finds_a_condition_on_the_answer_of_a_step_that_may_be_passed_over)
{
    Simulation simulation;
    simulation.route("b").condition = condition("$.kind", Operator::eq, "big");
    simulation.route("c").condition = condition("$.risk", Operator::exists, "", "b");
    const Finding* found = nullptr;
    const Report report = simulation.run();
    found = find(report, "answer-missing", "c");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(find(report, "passed-over", "b"), nullptr) << "one conditional route is an option";
}

TEST(Explore, notes_a_value_for_which_no_route_is_there)
{
    Simulation simulation;
    auto& routes = simulation.routes("b");
    const core::Route bare = routes.front();
    routes = {when(bare, condition("$.kind", Operator::eq, "domestic")),
              when(bare, condition("$.kind", Operator::eq, "abroad"))};
    const Report report = simulation.run();
    EXPECT_THAT(list(report), IsEmpty());
    EXPECT_THAT(list(report, Weight::note), ElementsAre("passed-over b"));
}

TEST(Explore, notes_that_a_lost_answer_leaves_work_for_a_person)
{
    Simulation simulation;
    simulation.route("c").revert = revert_by_id("response:$.id");
    const Report report = simulation.run();
    EXPECT_THAT(list(report), IsEmpty());
    EXPECT_THAT(list(report, Weight::note), ElementsAre("unknown-needs-person c"));
}

TEST(Explore, says_what_it_can_not_invent)
{
    Simulation simulation;
    auto& routes = simulation.routes("b");
    routes.insert(routes.begin(),
                  when(routes.front(), condition("$[?@.kind == 'x'].price", Operator::gt, "1")));
    const Report report = simulation.run();
    EXPECT_THAT(list(report), IsEmpty());
    EXPECT_THAT(list(report, Weight::note), ElementsAre("not-tried b"));
}

TEST(Explore, tries_many_ways_when_all_combinations_are_too_many)
{
    Simulation simulation;
    for (const char* step : {"a", "b", "c"}) {
        auto& routes = simulation.routes(step);
        const core::Route bare = routes.front();
        routes = {when(bare, condition("$.x", Operator::gt, "5")),
                  when(bare, condition("$.y", Operator::lt, "7")),
                  when(bare, condition("$.z", Operator::eq, "blue")), bare};
    }
    const Report report = simulation.run();
    EXPECT_THAT(list(report), IsEmpty()) << in_words(report);
    EXPECT_GE(report.ways, 10U);
}

TEST(Explore, gives_the_same_report_for_the_same_seed)
{
    Simulation simulation;
    simulation.route("a").revert.reset();
    simulation.route("b").revert = revert_by_id("response:$.id");
    EXPECT_EQ(json::write(in_json(simulation.run())), json::write(in_json(simulation.run())));
}

} // namespace
} // namespace sagabox::simulate
