#include "app/commands.hpp"
#include "app/demo_host.hpp"
#include "app/exit_code.hpp"
#include "app/once/performance.hpp"
#include "app/signals.hpp"
#include "app/temporary_folder.hpp"
#include "app/terminal_watcher.hpp"
#include "app/wiring.hpp"

#include <cstdio>
#include <iostream>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sagabox::app {

namespace {

int serve(const DemoOptions& options)
{
    Signals signals;
    TerminalWatcher watcher;
    Result<std::unique_ptr<DemoHost>> host =
        DemoHost::start({static_cast<std::uint16_t>(options.port),
                         options.data.empty() ? default_data_folder() / "demo"
                                              : std::filesystem::path(options.data)},
                        watcher);
    if (!host) {
        std::cerr << host.error().text() << '\n';
        return failed;
    }
    std::cout << "\nSagabox demo: http://localhost:" << (*host)->port() << "\nDatabase:     psql '"
              << (*host)->database_url()
              << "'\nEvery step of every saga is printed here. Ctrl-C stops; the next start goes "
                 "on where "
                 "this one stopped.\n\n"
              << std::flush;
    while (signals.wait() != Signals::What::stop) {
    }
    std::cout << "\nstopping ..." << std::endl;
    Signals::let_the_next_one_kill();
    return done;
}

/// The relay's own account is not asked for: what is printed is what was written down.
class SilentWatcher : public engine::Watcher {
    void step(const core::Saga&, const core::StepResult&, const core::Action&) override {}
    void settled(const core::Saga&, const core::Action&) override {}
    void lease_lost(const core::Saga&) override {}
};

int play_on(DemoHost& host, Signals& signals)
{
    pg::Options database;
    database.url = host.database_url();
    database.application_name = "sagabox demo --once";
    const auto pause = [&signals](std::chrono::milliseconds time) {
        return signals.wait_for(time) != Signals::What::stop;
    };
    Result<std::unique_ptr<once::Stage>> stage = once::Stage::open(
        fmt::format("http://127.0.0.1:{}", host.port()), std::move(database), pause);
    if (!stage) {
        std::cerr << stage.error().text() << '\n';
        return failed;
    }
    return once::perform(once::scenarios(), **stage, std::cout) ? done : failed;
}

int play_once(const DemoOptions& options)
{
    Signals signals;
    SilentWatcher watcher;
    std::optional<Result<TemporaryFolder>> temporary;
    if (options.data.empty()) {
        temporary.emplace(TemporaryFolder::make());
        if (!*temporary) {
            std::cerr << temporary->error().text() << '\n';
            return failed;
        }
    }
    Result<std::unique_ptr<DemoHost>> host =
        DemoHost::start({static_cast<std::uint16_t>(options.port),
                         temporary ? (*temporary)->path() : std::filesystem::path(options.data)},
                        watcher);
    if (!host) {
        std::cerr << host.error().text() << '\n';
        return failed;
    }
    const int code = play_on(**host, signals);
    Signals::let_the_next_one_kill();
    return code;
}

} // namespace

int demo(const DemoOptions& options)
{
    return options.once ? play_once(options) : serve(options);
}

} // namespace sagabox::app
