// Real relays on a real PostgreSQL, under fire, against services that keep a ledger. Exits 0 when
// nothing was lost, nothing was done twice and all is undone that had to be.

#include "pg/embedded.hpp"
#include "testing/postgres.hpp"
#include "tests/torture/chaos.hpp"
#include "tests/torture/judge.hpp"
#include "tests/torture/options.hpp"
#include "tests/torture/producers.hpp"
#include "tests/torture/relays.hpp"
#include "tests/torture/services.hpp"
#include "tests/torture/shop.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

namespace sagabox::torture {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto tick = 10ms;
constexpr auto quiet_patience = 90s;
constexpr std::size_t faults_shown = 25;

fs::path make_folder(const std::string& wanted)
{
    if (!wanted.empty()) {
        fs::create_directories(wanted);
        return fs::absolute(wanted);
    }
    std::string name = "/tmp/sagabox-torture-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no folder under /tmp");
    }
    // PostgreSQL may run as another user, who must get through.
    fs::permissions(name, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    return name;
}

/// The program to its end; its exit code. What it says goes to `log`.
int run_program(const std::string& arguments, const fs::path& log)
{
    const int status = std::system(fmt::format("timeout -k 5 120 {} {} > {} 2>&1 < /dev/null",
                                               SAGABOX_BINARY, arguments, log.string())
                                       .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string text_of(const fs::path& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class Run {
public:
    Run(const Options& options, fs::path folder)
        : options_(options), folder_(std::move(folder)),
          cluster_(testing::start_cluster(folder_ / "postgres")), services_(options.seed)
    {
    }

    /// What is wrong, one a line; empty when nothing is.
    std::vector<std::string> play();

private:
    void prepare();
    [[nodiscard]] bool wait_until_quiet(Chaos& chaos);
    void print(const Verdict& verdict, const Chaos& chaos, const Services::Account& outside) const;

    const Options options_;
    const fs::path folder_;
    std::unique_ptr<pg::EmbeddedCluster> cluster_;
    Services services_;
    std::chrono::milliseconds quiet_after_{0};
};

/// For the commands, past all gates; as old as a configuration is that the events ran under.
void Run::prepare()
{
    const fs::path file = folder_ / "sagabox.conf";
    std::ofstream(file) << fmt::format("database.url = \"{}\"\n{}", cluster_->url(),
                                       shop::config(services_.server()));
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    const fs::path log = folder_ / "migrate.log";
    if (run_program("migrate -c " + file.string(), log) != 0) {
        throw std::runtime_error("migrate failed: " + text_of(log));
    }
    testing::Sql(cluster_->url()).exec(std::string(shop::schema()));
}

bool Run::wait_until_quiet(Chaos& chaos)
{
    const Clock::time_point since = Clock::now();
    testing::Sql sql(cluster_->url());
    while (Clock::now() < since + quiet_patience) {
        chaos.tend();
        if (sql.one("select (select count(*) from outbox_events where active) + "
                    "(select count(*) from dead_letter_events where active)") == "0") {
            quiet_after_ =
                std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since);
            return true;
        }
        std::this_thread::sleep_for(tick);
    }
    return false;
}

std::vector<std::string> Run::play()
{
    prepare();
    std::vector<std::unique_ptr<Relay>> relays;
    for (int number = 1; number <= options_.relays; ++number) {
        relays.push_back(std::make_unique<Relay>(folder_, number, cluster_->port(),
                                                 shop::config(services_.server())));
    }
    Chaos chaos(*cluster_, relays, services_, options_.seed);
    Producers producers(cluster_->url(), options_.seed, 2);
    const Clock::time_point end = Clock::now() + std::chrono::seconds(options_.seconds);
    while (Clock::now() < end) {
        chaos.tend();
        std::this_thread::sleep_for(tick);
    }
    producers.stop();
    chaos.calm();
    const bool quiet = wait_until_quiet(chaos);
    chaos.stop_relays();

    testing::Sql sql(cluster_->url());
    const Services::Account outside = services_.account();
    Verdict verdict = judge(sql, outside, producers.book(), options_.seed);
    if (!quiet) {
        verdict.faults.push_back(fmt::format("not quiet after {} s", quiet_patience / 1s));
    }
    verdict.faults.insert(verdict.faults.end(), chaos.complaints().begin(),
                          chaos.complaints().end());
    const fs::path log = folder_ / "audit.log";
    const int audited = run_program("audit -c " + (folder_ / "sagabox.conf").string(), log);
    if (audited != 0) {
        verdict.faults.push_back(
            fmt::format("sagabox audit ended with {}: {}", audited, text_of(log)));
    }
    print(verdict, chaos, outside);
    return std::move(verdict.faults);
}

void Run::print(const Verdict& verdict, const Chaos& chaos, const Services::Account& outside) const
{
    fmt::print("torture: seed {}, {} s, {} relays\n", options_.seed, options_.seconds,
               options_.relays);
    for (const auto& [fault, times] : chaos.counts()) {
        const auto found = outside.stalls.find(fault);
        std::string stall;
        if (found != outside.stalls.end()) {
            auto all = found->second;
            std::sort(all.begin(), all.end());
            stall = fmt::format("; then no effect for {} ms (median), {} ms (longest)",
                                all[all.size() / 2].count(), all.back().count());
        }
        fmt::print("  {:<30} {:>5}{}\n", fault, times, stall);
    }
    fmt::print("  sagas {}: completed {}, compensated {}, cancels {}, letters for a person {}, "
               "poisoned {}\n",
               verdict.sagas, verdict.completed, verdict.compensated, verdict.cancelled,
               verdict.left_to_a_person, verdict.poisoned);
    fmt::print("  arrivals {}, effects {}, undone {}; repeated under their key {}, of them after a "
               "lost worker {}\n",
               services_.arrivals(), verdict.effects, verdict.undone, verdict.repeated,
               verdict.unrecorded);
    fmt::print("  quiet {} ms after the last fault; lost {}\n", quiet_after_.count(), verdict.lost);
}

int torture(const Options& options)
{
    const fs::path folder = make_folder(options.folder);
    std::vector<std::string> faults;
    try {
        faults = Run(options, folder).play();
    } catch (const std::exception& thrown) {
        faults.emplace_back(thrown.what());
    }
    if (faults.empty()) {
        if (options.folder.empty()) {
            std::error_code ignored;
            fs::remove_all(folder, ignored);
        }
        fmt::print("torture: nothing lost, nothing done twice\n");
        return EXIT_SUCCESS;
    }
    for (std::size_t i = 0; i < std::min(faults.size(), faults_shown); ++i) {
        fmt::print("  wrong: {}\n", faults[i]);
    }
    fmt::print("torture: FAILED with {} faults at seed {}; database and logs are kept in {}\n",
               faults.size(), options.seed, folder.string());
    return EXIT_FAILURE;
}

} // namespace
} // namespace sagabox::torture

int main(int argc, char** argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    // The relays inherit this: a reload that is asked for before their first line waits for them.
    sigset_t reload;
    sigemptyset(&reload);
    sigaddset(&reload, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &reload, nullptr);
    const auto options = sagabox::torture::options_of(argc, argv);
    if (!options) {
        fmt::print(stderr, "{}", sagabox::torture::usage);
        return 2;
    }
    return sagabox::torture::torture(*options);
}
