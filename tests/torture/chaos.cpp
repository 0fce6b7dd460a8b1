#include "tests/torture/chaos.hpp"

#include "testing/postgres.hpp"

#include <csignal>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace sagabox::torture {

using namespace std::chrono_literals;

namespace {

constexpr int usual_trouble = 15; ///< in a hundred answers
constexpr int storm_trouble = 70;
constexpr int failpoint_share = 60; ///< in a hundred starts

constexpr int misuse = 2; ///< the exit code where the configuration is bad; 1: the database is away

/// Longer than the grace and what comes after it, on a machine that has other things to do.
constexpr auto stop_patience = 20s;

struct Failpoint {
    std::string name;
    int least;
    int most; ///< passings before it strikes
};

const std::vector<Failpoint>& failpoints()
{
    static const std::vector<Failpoint> all{
        {"after_claim", 3, 30},   {"after_call", 10, 150},  {"before_commit_answer", 15, 250},
        {"after_commit", 10, 90}, {"between_steps", 5, 90}, {"between_reverts", 1, 8},
    };
    return all;
}

} // namespace

Chaos::Chaos(pg::EmbeddedCluster& cluster, std::vector<std::unique_ptr<Relay>>& relays,
             Services& services, std::uint64_t seed)
    : cluster_(cluster), relays_(relays), services_(services), dice_(seed_of(seed, "chaos")),
      slots_(relays.size())
{
    services_.set_trouble(usual_trouble);
    for (std::size_t slot = 0; slot < relays_.size(); ++slot) {
        begin(slot);
    }
    pause(1500, 2500);
}

void Chaos::later(std::chrono::milliseconds delay, std::function<void()> what)
{
    due_.emplace(Clock::now() + delay, std::move(what));
}

void Chaos::pause(int least_ms, int most_ms)
{
    later(std::chrono::milliseconds(dice_.between(least_ms, most_ms)), [this] { harm(); });
}

void Chaos::count(const std::string& fault)
{
    ++counts_[fault];
    services_.mark(fault);
}

void Chaos::begin(std::size_t slot)
{
    slots_[slot] = {.generation = slots_[slot].generation + 1};
    std::string failpoint;
    if (!calm_ && dice_.chance(failpoint_share)) {
        const Failpoint& chosen = dice_.pick(failpoints());
        failpoint = fmt::format("{}:{}", chosen.name, dice_.between(chosen.least, chosen.most));
    }
    relays_[slot]->start(failpoint);
}

void Chaos::reap(std::size_t slot)
{
    const std::optional<int> code = relays_[slot]->ended();
    if (!code) {
        return;
    }
    const Slot& known = slots_[slot];
    const std::string failpoint = relays_[slot]->failpoint();
    if (*code == 128 + SIGKILL && (known.killed || !failpoint.empty())) {
        if (!known.killed) {
            count("failpoint " + failpoint.substr(0, failpoint.find(':')));
        }
    } else if (*code == 128 + SIGTERM && known.told_to_stop) {
        // Told before its first line.
    } else if (*code > misuse) {
        complaints_.push_back(fmt::format("relay {} ended with {}{}", slot + 1,
                                          *code > 128 ? "signal " : "exit code ",
                                          *code > 128 ? *code - 128 : *code));
    } else if (*code != 0) {
        // Started while the database was away or its file was bad, or stopped while it could write
        // nothing down.
        ++counts_[known.told_to_stop ? "stops with work left behind" : "starts in vain"];
    } else if (!known.told_to_stop) {
        complaints_.push_back(fmt::format("relay {} ended of its own accord", slot + 1));
    }
    slots_[slot].starting = true;
    if (!closing_) {
        later(std::chrono::milliseconds(dice_.between(0, 700)), [this, slot] { begin(slot); });
    }
}

void Chaos::tend()
{
    for (std::size_t slot = 0; slot < relays_.size(); ++slot) {
        reap(slot);
    }
    while (!due_.empty() && due_.begin()->first <= Clock::now()) {
        const std::function<void()> what = std::move(due_.begin()->second);
        due_.erase(due_.begin());
        what();
    }
}

void Chaos::harm()
{
    if (calm_) {
        return;
    }
    const auto slot =
        static_cast<std::size_t>(dice_.between(0, static_cast<int>(relays_.size()) - 1));
    const int lot = dice_.between(0, 99);
    if (lot < 22) {
        kill_relay(slot);
    } else if (lot < 34) {
        terminate_relay(slot);
    } else if (lot < 48) {
        freeze(slot);
    } else if (lot < 58) {
        half_open(slot);
    } else if (lot < 64) {
        crash_postgres();
    } else if (lot < 67) {
        restart_postgres();
    } else if (lot < 76) {
        terminate_sessions("sessions terminated", "true");
    } else if (lot < 82) {
        terminate_sessions("listeners terminated", "application_name like '%listener%'");
    } else if (lot < 90) {
        storm();
    } else {
        reload(slot);
    }
    pause(300, 1600);
}

void Chaos::kill_relay(std::size_t slot)
{
    if (!relays_[slot]->running()) {
        return;
    }
    slots_[slot].killed = true;
    relays_[slot]->signal(SIGKILL);
    count("SIGKILL");
}

void Chaos::terminate_relay(std::size_t slot)
{
    if (!relays_[slot]->running() || slots_[slot].told_to_stop) {
        return;
    }
    slots_[slot].told_to_stop = true;
    relays_[slot]->signal(SIGTERM);
    relays_[slot]->signal(SIGCONT);
    count("SIGTERM");
    later(stop_patience, [this, slot, generation = slots_[slot].generation] {
        if (slots_[slot].generation == generation && relays_[slot]->running()) {
            complaints_.push_back(fmt::format("relay {} did not stop", slot + 1));
            kill_relay(slot);
        }
    });
}

void Chaos::freeze(std::size_t slot)
{
    if (!relays_[slot]->running()) {
        return;
    }
    relays_[slot]->signal(SIGSTOP);
    count("SIGSTOP");
    later(std::chrono::milliseconds(dice_.between(2300, 4000)),
          [this, slot] { relays_[slot]->signal(SIGCONT); });
}

void Chaos::half_open(std::size_t slot)
{
    relays_[slot]->gate().swallow();
    count("half-open network");
    later(std::chrono::milliseconds(dice_.between(2500, 5000)),
          [this, slot, told = dice_.chance(50)] {
              relays_[slot]->gate().heal();
              if (told) {
                  relays_[slot]->gate().reset_dumb();
              }
          });
}

void Chaos::crash_postgres()
{
    count("PostgreSQL killed");
    bring_back(cluster_.crash_and_restart());
}

void Chaos::restart_postgres()
{
    count("PostgreSQL restarted");
    Result<void> done = cluster_.stop();
    if (done) {
        done = cluster_.restart();
    }
    bring_back(std::move(done));
}

/// The server's port may be taken for a moment, by a connection that goes out.
void Chaos::bring_back(Result<void> done)
{
    for (int tries = 0; !done && tries < 10; ++tries) {
        std::this_thread::sleep_for(300ms);
        done = cluster_.restart();
    }
    if (!done) {
        throw std::runtime_error(done.error().text());
    }
}

void Chaos::terminate_sessions(const std::string& what, const std::string& whose)
{
    testing::Sql sql(cluster_.url());
    const std::vector<testing::Sql::Row> sessions =
        sql.rows("select pid from pg_stat_activity where datname = current_database() "
                 "and backend_type = 'client backend' and pid <> pg_backend_pid() and " +
                 whose + " order by pid");
    for (int left = dice_.between(1, 4); left > 0 && !sessions.empty(); --left) {
        sql.exec("select pg_terminate_backend($1)", {dice_.pick(sessions).front()});
    }
    if (!sessions.empty()) {
        count(what);
    }
}

void Chaos::storm()
{
    services_.set_trouble(storm_trouble);
    count("storms outside");
    later(std::chrono::milliseconds(dice_.between(800, 2500)),
          [this] { services_.set_trouble(calm_ ? 0 : usual_trouble); });
}

void Chaos::reload(std::size_t slot)
{
    const bool good = dice_.chance(60);
    relays_[slot]->configure(good ? fmt::format("outbox.batchSize = {}", dice_.between(2, 200))
                                  : "outbox.batchSizes = 3");
    relays_[slot]->signal(SIGHUP);
    count(good ? "reloads" : "reloads of a bad file");
    later(400ms, [this, slot] {
        relays_[slot]->configure("");
        relays_[slot]->signal(SIGHUP);
    });
}

void Chaos::calm()
{
    calm_ = true;
    services_.set_trouble(0);
    for (const std::unique_ptr<Relay>& relay : relays_) {
        relay->signal(SIGCONT);
        relay->gate().heal();
        // A relay waits half a minute for an answer that never comes, which would be waited for
        // here.
        relay->gate().reset_dumb();
    }
}

void Chaos::stop_relays()
{
    closing_ = true;
    due_.clear();
    for (std::size_t slot = 0; slot < relays_.size(); ++slot) {
        slots_[slot].told_to_stop = true;
        relays_[slot]->signal(SIGTERM);
    }
    const Clock::time_point give_up_at = Clock::now() + stop_patience;
    for (std::size_t slot = 0; slot < relays_.size(); ++slot) {
        while (relays_[slot]->running() && Clock::now() < give_up_at) {
            reap(slot);
            std::this_thread::sleep_for(5ms);
        }
        if (relays_[slot]->running()) {
            complaints_.push_back(fmt::format("relay {} did not stop at the end", slot + 1));
        }
    }
}

} // namespace sagabox::torture
