#include "engine/crowd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace sagabox::engine {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<Crowd::Waiter> in_line(Crowd& crowd, const std::string& name, int capacity,
                                       std::vector<int>& woken, int number)
{
    auto waiter = std::make_shared<Crowd::Waiter>();
    waiter->wake = [&woken, number] {
        woken.push_back(number);
    };
    EXPECT_TRUE(crowd.wait(name, capacity, waiter));
    return waiter;
}

TEST(Crowd, lets_in_no_more_than_fit)
{
    Crowd crowd;
    auto first = crowd.enter("billing", 2);
    const auto second = crowd.enter("billing", 2);
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(crowd.enter("billing", 2));
    EXPECT_TRUE(crowd.enter("shipping", 2)) << "each destination is counted for itself";
    first.reset();
    EXPECT_TRUE(crowd.enter("billing", 2));
}

TEST(Crowd, hands_a_place_to_who_has_waited_longest)
{
    Crowd crowd;
    std::vector<int> woken;
    auto place = crowd.enter("billing", 1);
    const auto first = in_line(crowd, "billing", 1, woken, 1);
    const auto second = in_line(crowd, "billing", 1, woken, 2);
    EXPECT_FALSE(crowd.enter("billing", 1));
    place.reset();
    EXPECT_THAT(woken, ::testing::ElementsAre(1));
    EXPECT_FALSE(crowd.enter("billing", 1)) << "it went from hand to hand";
    crowd.stop_waiting("billing", first).reset();
    EXPECT_THAT(woken, ::testing::ElementsAre(1, 2));
}

TEST(Crowd, gives_who_stops_waiting_the_place_that_was_theirs_already)
{
    Crowd crowd;
    std::vector<int> woken;
    auto place = crowd.enter("billing", 1);
    const auto patient = in_line(crowd, "billing", 1, woken, 1);
    const auto hasty = in_line(crowd, "billing", 1, woken, 2);
    EXPECT_FALSE(crowd.stop_waiting("billing", hasty));
    place.reset();
    auto given = crowd.stop_waiting("billing", patient);
    EXPECT_TRUE(given);
    given.reset();
    EXPECT_TRUE(crowd.enter("billing", 1)) << "nobody is in line any more";
}

TEST(Crowd, keeps_no_longer_line_than_makes_sense)
{
    Crowd crowd;
    std::vector<int> woken;
    const auto place = crowd.enter("billing", 1);
    std::vector<std::shared_ptr<Crowd::Waiter>> line;
    for (int i = 0; i < 16; ++i) {
        line.push_back(in_line(crowd, "billing", 1, woken, i));
    }
    EXPECT_FALSE(crowd.wait("billing", 1, std::make_shared<Crowd::Waiter>()));
}

TEST(Crowd, sends_those_away_one_behind_the_other)
{
    Crowd crowd;
    const auto first = crowd.come_back_in("billing", 2, 100ms);
    const auto second = crowd.come_back_in("billing", 2, 100ms);
    EXPECT_GE(first, 100ms);
    EXPECT_GT(second, first);
    for (int i = 0; i < 2'000'000; i += 1'000) {
        EXPECT_LE(crowd.come_back_in("billing", 1, 599s + 999ms), 600s);
    }
}

TEST(Crowd, loses_no_place_between_threads)
{
    Crowd crowd;
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> served{0};
    const auto work = [&] {
        for (int i = 0; i < 2'000; ++i) {
            auto place = crowd.enter("billing", 3);
            if (!place) {
                std::atomic<bool> woken{false};
                const auto waiter = std::make_shared<Crowd::Waiter>();
                waiter->wake = [&woken] {
                    woken = true;
                    woken.notify_one();
                };
                ASSERT_TRUE(crowd.wait("billing", 3, waiter));
                woken.wait(false);
                place = crowd.stop_waiting("billing", waiter);
                ASSERT_TRUE(place);
            }
            const int now_inside = ++inside;
            int seen = most;
            while (now_inside > seen && !most.compare_exchange_weak(seen, now_inside)) {
            }
            ++served;
            --inside;
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back(work);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(served, 12'000);
    EXPECT_LE(most, 3);
    std::vector<std::optional<Crowd::Place>> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(crowd.enter("billing", 3));
        EXPECT_TRUE(all.back()) << "a place was lost";
    }
}

TEST(Crowd, sends_them_back_for_longer_the_longer_nobody_comes_out)
{
    Crowd crowd;
    const auto inside = crowd.enter("billing", 1);
    ASSERT_TRUE(inside);
    const auto back_after = [&crowd] {
        return crowd.come_back_in("billing", 1, std::chrono::microseconds(0));
    };
    const std::chrono::microseconds at_once = back_after();
    std::this_thread::sleep_for(at_once + std::chrono::milliseconds(15));
    EXPECT_GE(back_after(), std::chrono::milliseconds(10)) << "and not a call's usual millisecond";
    EXPECT_TRUE(crowd.stands_still("billing", std::chrono::milliseconds(10)));
    EXPECT_FALSE(crowd.stands_still("shipping", std::chrono::milliseconds(10)));
}

} // namespace
} // namespace sagabox::engine
