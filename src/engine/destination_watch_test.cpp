#include "engine/destination_watch.hpp"

#include <gtest/gtest.h>

namespace sagabox::engine {
namespace {

using namespace std::chrono_literals;
using core::Outcome;

class DestinationWatching : public ::testing::Test {
protected:
    [[nodiscard]] std::string failing(std::chrono::seconds at) const
    {
        std::string text;
        for (const auto& one : watch.failing(start + at)) {
            text += one.destination + " " + std::to_string(one.failures) + " in " +
                    std::to_string(one.lasting.count()) + " ms;";
        }
        return text;
    }
    void hear(std::chrono::seconds at, Outcome outcome, const std::string& destination = "a")
    {
        watch.heard(destination, outcome, start + at);
    }

    Instant start = std::chrono::steady_clock::now();
    DestinationWatch watch{60s};
};

TEST_F(DestinationWatching, gives_the_span_from_the_first_failure_to_the_latest)
{
    EXPECT_EQ(failing(0s), "");
    hear(1s, Outcome::failed);
    EXPECT_EQ(failing(2s), "a 1 in 0 ms;");
    hear(5s, Outcome::unknown);
    hear(6s, Outcome::failed, "b");
    EXPECT_EQ(failing(7s), "a 2 in 4000 ms;b 1 in 0 ms;");
}

TEST_F(DestinationWatching, takes_any_answer_but_a_failure_for_a_sign_of_life)
{
    for (const Outcome good : {Outcome::succeeded, Outcome::rejected}) {
        hear(1s, Outcome::failed);
        hear(2s, good);
        EXPECT_EQ(failing(3s), "");
    }
    hear(4s, Outcome::failed);
    hear(5s, Outcome::skipped);
    EXPECT_EQ(failing(6s), "a 1 in 0 ms;");
}

TEST_F(DestinationWatching, forgets_failures_after_which_nobody_called_for_long)
{
    hear(0s, Outcome::failed);
    hear(50s, Outcome::failed);
    EXPECT_EQ(failing(110s), "a 2 in 50000 ms;");
    EXPECT_EQ(failing(111s), "");
    hear(200s, Outcome::failed);
    EXPECT_EQ(failing(200s), "a 1 in 0 ms;");
}

} // namespace
} // namespace sagabox::engine
