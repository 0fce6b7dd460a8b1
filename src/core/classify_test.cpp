#include "core/call.hpp"

#include <gtest/gtest.h>

namespace sagabox::core {
namespace {

Outcome read(int status, Direction direction = Direction::forward, const Classification& rules = {})
{
    Answer answer;
    answer.delivery = Answer::Delivery::answered;
    answer.status = status;
    return classify(answer, direction, rules);
}

TEST(Classify, takes_every_2xx_for_success)
{
    for (const int status : {200, 201, 202, 204, 206, 299}) {
        EXPECT_EQ(read(status), Outcome::succeeded) << status;
        EXPECT_EQ(read(status, Direction::revert), Outcome::succeeded) << status;
    }
}

TEST(Classify, looks_at_the_status_before_the_body)
{
    for (const char* body : {"", "OK", "<html>", "{\"id\":", "7", "[1]"}) {
        Answer answer;
        answer.delivery = Answer::Delivery::answered;
        answer.status = 200;
        answer.body = body;
        EXPECT_EQ(classify(answer, Direction::forward, {}), Outcome::succeeded) << body;
    }
}

TEST(Classify, takes_what_is_gone_for_undone)
{
    for (const int status : {404, 410}) {
        EXPECT_EQ(read(status, Direction::revert), Outcome::succeeded) << status;
        EXPECT_EQ(read(status), Outcome::rejected) << status;
    }
}

TEST(Classify, retries_what_may_succeed_later)
{
    for (const int status : {408, 425, 429, 500, 501, 503, 505, 599}) {
        EXPECT_EQ(read(status), Outcome::failed) << status;
        EXPECT_EQ(read(status, Direction::revert), Outcome::failed) << status;
    }
}

TEST(Classify, does_not_know_what_happened_behind_a_gateway)
{
    for (const int status : {502, 504}) {
        EXPECT_EQ(read(status), Outcome::unknown) << status;
        EXPECT_EQ(read(status, Direction::revert), Outcome::unknown) << status;
    }
}

TEST(Classify, rejects_other_4xx_and_all_3xx)
{
    for (const int status : {300, 301, 302, 304, 307, 308, 400, 401, 403, 409, 422, 451}) {
        EXPECT_EQ(read(status), Outcome::rejected) << status;
        EXPECT_EQ(read(status, Direction::revert), Outcome::rejected) << status;
    }
}

TEST(Classify, takes_no_interim_status_for_an_answer)
{
    for (const int status : {0, 100, 101, 103}) {
        EXPECT_EQ(read(status), Outcome::unknown) << status;
    }
}

TEST(Classify, counts_a_request_that_never_left_as_failed)
{
    Answer answer;
    answer.delivery = Answer::Delivery::not_sent;
    EXPECT_EQ(classify(answer, Direction::forward, {}), Outcome::failed);
}

TEST(Classify, never_believes_an_answer_that_broke_off)
{
    for (const int status : {0, 200, 404, 409, 500}) {
        Answer answer;
        answer.delivery = Answer::Delivery::unanswered;
        answer.status = status;
        const Classification rules{{{200, 599}}, {}, {}};
        EXPECT_EQ(classify(answer, Direction::forward, rules), Outcome::unknown) << status;
        EXPECT_EQ(classify(answer, Direction::revert, rules), Outcome::unknown) << status;
    }
}

TEST(Classify, lets_a_route_override)
{
    const Classification rules{{{409, 409}}, {{404, 404}}, {{500, 599}}};
    EXPECT_EQ(read(409, Direction::forward, rules), Outcome::succeeded);
    EXPECT_EQ(read(404, Direction::forward, rules), Outcome::failed);
    EXPECT_EQ(read(404, Direction::revert, rules), Outcome::failed);
    EXPECT_EQ(read(503, Direction::forward, rules), Outcome::rejected);
    EXPECT_EQ(read(502, Direction::forward, rules), Outcome::rejected);
    EXPECT_EQ(read(429, Direction::forward, rules), Outcome::failed);
    EXPECT_EQ(read(200, Direction::forward, rules), Outcome::succeeded);
    EXPECT_EQ(read(200, Direction::forward, {{}, {}, {{200, 200}}}), Outcome::rejected);
}

TEST(Classify, prefers_a_single_status_to_its_class)
{
    EXPECT_EQ(read(503, Direction::forward, {{}, {{503, 503}}, {{500, 599}}}), Outcome::failed);
    EXPECT_EQ(read(503, Direction::forward, {{}, {{500, 599}}, {{503, 503}}}), Outcome::rejected);
    EXPECT_EQ(read(503, Direction::forward, {{{500, 599}}, {{400, 599}}, {{503, 503}}}),
              Outcome::rejected);
}

TEST(Classify, keeps_a_gateways_doubt_when_a_route_asks_for_retries)
{
    EXPECT_EQ(read(504, Direction::forward, {{}, {{500, 599}}, {}}), Outcome::unknown);
}

} // namespace
} // namespace sagabox::core
