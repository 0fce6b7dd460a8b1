#include "store/story.hpp"

#include "tests/store/store_fixture.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace sagabox::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoryTest : public StoreTest {
protected:
    Story read(const std::string& aggregate)
    {
        auto story =
            testing::run(context, read_story(*connection, aggregate, Deadline::after(patience)));
        if (!story) {
            throw std::runtime_error(story.error().text());
        }
        return std::move(*story);
    }

    void set(std::int64_t event, const std::string& columns)
    {
        sql.exec("update outbox_events set " + columns + " where id = " + std::to_string(event));
    }

    void add_result(std::int64_t event, const std::string& destination,
                    const std::string& outcome = "succeeded")
    {
        sql.exec("insert into aggregate_results (event_id, aggregate_id, event_type, destination, "
                 "success, outcome) values ($1, 'order-1', 'Made', $2, $3 = 'succeeded', $3)",
                 {std::to_string(event), destination, outcome});
    }

    void add_letter(std::int64_t event, const std::string& status)
    {
        sql.exec("insert into dead_letter_events (original_event_id, aggregate_id, event_type, "
                 "reason, status) values ($1, 'order-1', 'Made', 'POISONED', $2)",
                 {std::to_string(event), status});
    }

    static std::vector<std::int64_t> ids_in(const Story& story)
    {
        std::vector<std::int64_t> ids;
        for (const EventStory& one : story) {
            ids.push_back(one.event.id.value);
        }
        return ids;
    }
};

TEST_F(StoryTest, of_an_aggregate_that_nothing_happened_to_is_empty)
{
    emit("order-2");
    EXPECT_THAT(read("order-1"), IsEmpty());
    EXPECT_TRUE(has_ended(read("order-1")));
}

TEST_F(StoryTest, has_the_aggregate_s_events_oldest_first_whatever_became_of_them)
{
    const auto done = emit("order-1");
    const auto waiting = emit("order-1");
    const auto cancelled = emit("order-1");
    emit("order-2");
    set(done, "status = 'PROCESSED'");
    set(cancelled, "status = 'CANCELLED'");
    EXPECT_THAT(ids_in(read("order-1")), ElementsAre(done, waiting, cancelled));
}

TEST_F(StoryTest, tells_an_event_as_its_row_does)
{
    const auto event = emit("order-1", "!Made");
    set(event,
        "payloads = '{\"a\": {\"n\": 100.10}}', status = 'FAILED', retry_count = 3, run = 2, "
        "deaths = 1, last_error = 'no such order', moved_to_dlq = true");
    const Story story = read("order-1");
    ASSERT_EQ(story.size(), 1U);
    const EventStory& one = story.front();
    EXPECT_EQ(one.event.aggregate_id, "order-1");
    EXPECT_EQ(one.event.type, "!Made");
    EXPECT_EQ(one.event.payloads, json::parse(R"({"a": {"n": 100.10}})").value());
    EXPECT_EQ(one.event.uuid, sql.one("select event_uuid from outbox_events"));
    EXPECT_EQ(one.event.status, core::EventStatus::FAILED);
    EXPECT_EQ(one.event.retry_count, 3);
    EXPECT_EQ(one.event.run, 2);
    EXPECT_EQ(one.event.deaths, 1);
    EXPECT_EQ(std::to_string(one.event.created_at.since_epoch.count()),
              sql.one("select (extract(epoch from created_at) * 1000000)::bigint from "
                      "outbox_events"));
    EXPECT_EQ(one.last_error, "no such order");
    EXPECT_TRUE(one.moved_to_dlq);
    EXPECT_FALSE(one.letter.has_value());
    EXPECT_THAT(one.results, IsEmpty());
}

TEST_F(StoryTest, puts_each_result_to_its_event_in_the_order_in_which_they_came)
{
    const auto first = emit("order-1");
    const auto second = emit("order-1");
    add_result(second, "a");
    add_result(first, "a", "failed");
    add_result(first, "a");
    add_result(emit("order-2"), "elsewhere");
    const Story story = read("order-1");
    ASSERT_EQ(story.size(), 2U);
    ASSERT_EQ(story[0].results.size(), 2U);
    EXPECT_EQ(story[0].results[0].outcome, core::Outcome::failed);
    EXPECT_EQ(story[0].results[1].outcome, core::Outcome::succeeded);
    ASSERT_EQ(story[1].results.size(), 1U);
    EXPECT_EQ(story[1].results[0].event_id.value, second);
}

TEST_F(StoryTest, keeps_a_revert_with_what_it_undid_and_names_who_had_it_undone)
{
    const auto made = emit("order-1");
    const auto cancel = emit("order-1", "!Made");
    add_result(made, "a");
    add_result(made, "a.revert");
    sql.exec("update aggregate_results set cause_event_id = $1 where destination = 'a.revert'",
             {std::to_string(cancel)});
    const Story story = read("order-1");
    ASSERT_EQ(story.size(), 2U);
    ASSERT_EQ(story[0].results.size(), 2U);
    EXPECT_EQ(story[0].results[0].direction, core::Direction::forward);
    EXPECT_EQ(story[0].results[0].cause.value, made);
    EXPECT_EQ(story[0].results[1].destination, "a");
    EXPECT_EQ(story[0].results[1].direction, core::Direction::revert);
    EXPECT_EQ(story[0].results[1].cause.value, cancel);
    EXPECT_THAT(story[1].results, IsEmpty());
}

TEST_F(StoryTest, has_the_latest_letter_of_an_event_that_has_several)
{
    const auto event = emit("order-1");
    add_letter(event, "PROCESSED");
    add_letter(event, "FAILED");
    sql.exec("update dead_letter_events set last_error = 'refused', retry_count = 2, revert_error "
             "= 'gone', revert_retry_count = 4 where status = 'FAILED'");
    const Story story = read("order-1");
    ASSERT_EQ(story.size(), 1U);
    ASSERT_TRUE(story[0].letter.has_value());
    EXPECT_EQ(std::to_string(story[0].letter->id.value),
              sql.one("select max(id) from dead_letter_events"));
    EXPECT_EQ(story[0].letter->status, core::LetterStatus::FAILED);
    EXPECT_EQ(story[0].letter->reason, core::LetterReason::POISONED);
    EXPECT_EQ(story[0].letter->last_error, "refused");
    EXPECT_EQ(story[0].letter->retry_count, 2);
    EXPECT_EQ(story[0].letter->revert_error, "gone");
    EXPECT_EQ(story[0].letter->revert_retry_count, 4);
}

TEST_F(StoryTest, of_many_events_has_the_latest_thousand_whether_or_not_they_wait)
{
    sql.exec("insert into outbox_events (aggregate_id, event_type, payloads, status) select "
             "'order-1', 'Made', '{}', case when i % 3 = 0 then 'PENDING' else 'PROCESSED' end "
             "from generate_series(1, 1600) i");
    const std::vector<std::int64_t> ids = ids_in(read("order-1"));
    ASSERT_EQ(ids.size(), 1000U);
    EXPECT_EQ(std::to_string(ids.back()), sql.one("select max(id) from outbox_events"));
    EXPECT_EQ(std::to_string(ids.front()), sql.one("select max(id) - 999 from outbox_events"));
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST_F(StoryTest, has_ended_when_no_event_and_no_letter_is_open)
{
    const auto event = emit("order-1");
    for (const std::string open : {"PENDING", "PROCESSING"}) {
        set(event, "status = '" + open + "'");
        EXPECT_FALSE(has_ended(read("order-1"))) << open;
    }
    for (const std::string over : {"PROCESSED", "FAILED", "CANCELLED"}) {
        set(event, "status = '" + over + "'");
        EXPECT_TRUE(has_ended(read("order-1"))) << over;
    }
    add_letter(event, "PENDING");
    for (const std::string status : {"PENDING", "PROCESSING", "PROCESSED", "FAILED", "RESOLVED"}) {
        sql.exec("update dead_letter_events set status = $1", {status});
        EXPECT_EQ(has_ended(read("order-1")), !status.starts_with("P") || status == "PROCESSED")
            << status;
    }
}

} // namespace
} // namespace sagabox::store
