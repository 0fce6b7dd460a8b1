#include "tests/sim/invariants.hpp"
#include "tests/sim/scenario.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>

namespace sagabox::sim {

namespace {

std::string replay_command(std::uint64_t seed)
{
    return "SAGABOX_SIM_SEED=" + std::to_string(seed) + " " + program_invocation_name +
           " --gtest_filter='*invariant*'";
}

std::optional<std::uint64_t> number_from(const char* variable)
{
    const char* text = std::getenv(variable);
    if (text == nullptr) {
        return std::nullopt;
    }
    return std::stoull(text);
}

std::string replay_of_the_running_seed; // read by the handler below, when all else is lost

void say_how_to_replay(int signal)
{
    const std::string& text = replay_of_the_running_seed;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Runs one seed and says what broke, if anything did.
std::optional<std::string> broken_by(PlanPool& plans, std::uint64_t seed, Trace& trace,
                                     Fencing fencing, Tally& sum)
{
    try {
        const Tally tally = run_scenario(plans, seed, trace, fencing);
        sum.sagas += tally.sagas;
        sum.completed += tally.completed;
        sum.compensated += tally.compensated;
        sum.cancelled += tally.cancelled;
        sum.needing_a_person += tally.needing_a_person;
        sum.lost_workers += tally.lost_workers;
        sum.calls += tally.calls;
        return std::nullopt;
    } catch (const Broken& broken) {
        return broken.what();
    }
}

void replay(PlanPool& plans, std::uint64_t seed)
{
    Trace trace(Trace::Keep::everything);
    Tally sum;
    const auto broken = broken_by(plans, seed, trace, Fencing::on, sum);
    for (const std::string& line : trace.lines()) {
        std::cerr << line << '\n';
    }
    EXPECT_FALSE(broken) << *broken;
}

TEST(Simulation, keeps_every_invariant_over_a_hundred_thousand_random_sagas)
{
    PlanPool plans;
    if (const auto seed = number_from("SAGABOX_SIM_SEED")) {
        return replay(plans, *seed);
    }
    std::signal(SIGABRT, say_how_to_replay);
    std::signal(SIGSEGV, say_how_to_replay);
    const std::uint64_t wanted = number_from("SAGABOX_SIM_SAGAS").value_or(100'000);
    const std::uint64_t first = number_from("SAGABOX_SIM_FIRST").value_or(1);
    const auto started = std::chrono::steady_clock::now();
    Tally sum;
    int failures = 0;
    for (std::uint64_t seed = first; static_cast<std::uint64_t>(sum.sagas) < wanted; ++seed) {
        replay_of_the_running_seed = "\nreplay: " + replay_command(seed) + "\n";
        Trace trace(Trace::Keep::nothing);
        if (const auto broken = broken_by(plans, seed, trace, Fencing::on, sum)) {
            ADD_FAILURE() << *broken << replay_of_the_running_seed;
            if (++failures == 10) {
                break;
            }
        }
    }
    std::signal(SIGABRT, SIG_DFL);
    std::signal(SIGSEGV, SIG_DFL);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    std::cout << sum.sagas << " sagas in " << took.count() << " s: " << sum.completed
              << " completed, " << sum.compensated << " compensated, " << sum.cancelled
              << " cancelled, " << sum.needing_a_person << " in need of a person; " << sum.calls
              << " calls, " << sum.lost_workers << " lost workers\n";

    // A simulation in which nothing goes wrong proves nothing.
    if (failures == 0 && wanted >= 10'000) {
        const int share = sum.sagas / 100;
        EXPECT_GT(sum.completed, share);
        EXPECT_GT(sum.compensated, share);
        EXPECT_GT(sum.cancelled, share);
        EXPECT_GT(sum.needing_a_person, share);
        EXPECT_GT(sum.lost_workers, share);
    }
}

TEST(Simulation, does_the_same_again_for_the_same_seed)
{
    PlanPool plans;
    PlanPool other_plans;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Trace first(Trace::Keep::everything);
        Trace second(Trace::Keep::everything);
        Tally sum;
        broken_by(plans, seed, first, Fencing::on, sum);
        broken_by(other_plans, seed, second, Fencing::on, sum);
        ASSERT_EQ(first.lines(), second.lines()) << replay_command(seed);
    }
}

TEST(Simulation, notices_a_database_without_fencing)
{
    PlanPool plans;
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        Trace trace(Trace::Keep::nothing);
        Tally sum;
        if (broken_by(plans, seed, trace, Fencing::off, sum)) {
            return;
        }
    }
    ADD_FAILURE() << "workers that had lost their leases wrote, and no invariant broke";
}

} // namespace

} // namespace sagabox::sim
