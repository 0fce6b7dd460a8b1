#include "app/commands.hpp"
#include "app/demo_host.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "app/terminal_watcher.hpp"
#include "app/wiring.hpp"

#include <cstdio>
#include <iostream>

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

} // namespace

int demo(const DemoOptions& options)
{
    return serve(options);
}

} // namespace sagabox::app
