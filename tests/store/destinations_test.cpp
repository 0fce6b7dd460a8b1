#include "store/destinations.hpp"

#include "tests/store/store_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::store {
namespace {

/// Two relays' connections and one destination.
class DestinationsTest : public StoreTest {
protected:
    DestinationsTest() : other(open())
    {
        const auto added = testing::run(
            context, add_destination(*connection, "billing", Deadline::after(patience)));
        EXPECT_TRUE(added);
    }

    PassAnswer ask(int others, std::chrono::microseconds gap, int waiting = 0)
    {
        return ask_by(*connection, others, gap, waiting);
    }

    PassAnswer ask_by(pg::Connection& by, int others, std::chrono::microseconds gap, int waiting)
    {
        PassAsk asked;
        asked.destination = "billing";
        asked.gap = gap;
        asked.back_gap = gap.count() > 0 ? gap : 1ms;
        asked.horizon = horizon;
        asked.waiting = waiting;
        asked.others = others;
        const auto answer =
            testing::run(context, pass_destination(by, asked, Deadline::after(patience)));
        EXPECT_TRUE(answer) << answer.error().text();
        return answer.value_or(PassAnswer{});
    }

    Probe probe(pg::Connection& by)
    {
        return testing::run(context,
                            claim_destination_probe(by, "billing", 1h, Deadline::after(patience)))
            .value();
    }

    void open_breaker(std::chrono::milliseconds open_for)
    {
        EXPECT_TRUE(
            testing::run(context, open_destination_breaker(*connection, "billing", 5, "503",
                                                           open_for, Deadline::after(patience))));
    }

    static constexpr std::chrono::milliseconds horizon{1'000'000};
    std::unique_ptr<pg::Connection> other;
};

TEST_F(DestinationsTest, without_a_rate_let_everybody_go_at_once)
{
    const PassAnswer answer = ask(500, 0us, 7);
    EXPECT_EQ(answer.to_others, 500);
    EXPECT_EQ(answer.to_waiting, 7);
    EXPECT_EQ(answer.first_in, 0us);
    EXPECT_EQ(answer.shut_for, 0us);
}

TEST_F(DestinationsTest, give_no_two_relays_the_same_moment)
{
    const PassAnswer first = ask_by(*connection, 3, 10s, 0);
    const PassAnswer second = ask_by(*other, 2, 10s, 0);
    EXPECT_EQ(first.to_others, 3);
    EXPECT_EQ(first.first_in, 0us);
    EXPECT_EQ(second.to_others, 2);
    const auto apart = (second.now + second.first_in) - first.now;
    EXPECT_EQ(apart, 30s) << "three calls, ten seconds each, stand before it";
}

TEST_F(DestinationsTest, send_away_what_does_not_fit_one_behind_the_other)
{
    // The horizon is 1,000 s: the moments 0, 400 and 800 s lie within it.
    const PassAnswer answer = ask(5, 400s);
    EXPECT_EQ(answer.to_others, 3);
    EXPECT_EQ(answer.back_in, 1'200s);
    const PassAnswer next = ask(1, 400s);
    EXPECT_EQ(next.to_others, 0);
    EXPECT_EQ((next.now + next.back_in) - answer.now, 2'000s);
}

TEST_F(DestinationsTest, let_those_who_waited_go_before_those_who_did_not)
{
    ask(5, 400s); // two were sent away
    sql.exec("update outbox_destinations set next_call = now()");
    const PassAnswer answer = ask(1, 400s, 1);
    EXPECT_EQ(answer.to_waiting, 1);
    EXPECT_EQ(answer.to_others, 0) << "there is room, but others are before it";
    sql.exec("update outbox_destinations set next_call = now(), parked_until = now()");
    EXPECT_EQ(ask(1, 400s).to_others, 1) << "nobody waits any more";
}

TEST_F(DestinationsTest, keep_everybody_away_while_a_breaker_is_open)
{
    open_breaker(1h);
    const PassAnswer answer = ask_by(*other, 2, 0us, 1);
    EXPECT_EQ(answer.to_waiting + answer.to_others, 0);
    EXPECT_GT(answer.shut_for, 59min);
    EXPECT_EQ(answer.back_in, answer.shut_for);
    EXPECT_EQ(answer.why, "503");
    ASSERT_TRUE(answer.open_until);
    EXPECT_EQ(probe(*other), Probe::taken) << "its time is not over";
}

TEST_F(DestinationsTest, give_the_probe_to_one_of_two_relays)
{
    open_breaker(1h);
    sql.exec("update outbox_destinations set open_until = now() - interval '1 second'");
    EXPECT_EQ(probe(*connection), Probe::mine);
    EXPECT_EQ(probe(*other), Probe::taken);
    EXPECT_TRUE(testing::run(
        context, close_destination_breaker(*connection, "billing", Deadline::after(patience))));
    EXPECT_EQ(probe(*other), Probe::closed);
    EXPECT_EQ(ask_by(*other, 2, 0us, 0).to_others, 2);
}

TEST_F(DestinationsTest, stand_by_the_longest_wish_to_be_left_alone)
{
    for (const std::chrono::milliseconds hold : {30'000ms, 60'000ms, 10'000ms}) {
        EXPECT_TRUE(testing::run(context, hold_destination(*connection, "billing", hold, "429",
                                                           Deadline::after(patience))));
    }
    const PassAnswer answer = ask_by(*other, 1, 0us, 0);
    EXPECT_EQ(answer.to_others, 0);
    EXPECT_GT(answer.shut_for, 50s);
    EXPECT_FALSE(answer.open_until);

    const auto shut =
        testing::run(context, list_destinations(*connection, Deadline::after(patience)));
    ASSERT_TRUE(shut);
    ASSERT_EQ(shut->size(), 1U);
    EXPECT_EQ(shut->front().state, "held");
    EXPECT_EQ(shut->front().why, "429");
}

} // namespace
} // namespace sagabox::store
