#include "app/command_tree.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/record_commands.hpp"
#include "app/simulate.hpp"
#include "base/log.hpp"

#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>
#include <sys/resource.h>

namespace {

using namespace sagabox;

/// What was on its way in a crash, secrets included, must not end in a file.
void forbid_core_dumps()
{
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

int dispatch(int argc, char** argv)
{
    CLI::App program(
        "Sagabox: what your database committed, the outside world gets; and what can't be "
        "finished is undone, step by step, in reverse.",
        "sagabox");
    program.set_version_flag("--version", SAGABOX_VERSION);
    program.require_subcommand(1);
    program.fallthrough();
    bool verbose = false;
    program.add_flag("-v,--verbose", verbose, "Log in detail");

    std::string file;
    std::int64_t event = 0;
    bool as_json = false;
    app::DemoOptions demo_options;
    const auto with_file = [&file](CLI::App* command) {
        command->add_option("-c,--config", file, "Configuration file (HOCON)")->required();
        return command;
    };

    const auto with_json = [&as_json](CLI::App* command) {
        command->add_flag("--json", as_json, "Print JSON");
        return command;
    };

    CLI::App* demo = program.add_subcommand(
        "demo", "Everything in one process: PostgreSQL, relay, shop, simulated services, page");
    const CLI::Option* port =
        demo->add_option("--port", demo_options.port,
                         "Port of the page and the shop; with --once any free one by default")
            ->check(CLI::Range(0, 65535))
            ->capture_default_str();
    demo->add_option("--data", demo_options.data,
                     "Folder of the demo's database; with --once a fresh one by default");
    demo->add_flag("--once", demo_options.once,
                   "Play the scenarios, print what became of each order, and exit 0 only if each "
                   "ended as it must");
    CLI::App* run = with_file(program.add_subcommand("run", "Run the relay until it is stopped"));
    CLI::App* migrate = with_json(with_file(
        program.add_subcommand("migrate", "Bring the database's schema up to this version")));
    CLI::App* check = with_json(with_file(program.add_subcommand(
        "check", "Validate a configuration without connecting to anything")));
    CLI::App* explain = with_json(with_file(program.add_subcommand(
        "explain", "Say what would be called next, and how it would be undone, without calling")));
    explain->add_option("EVENT_ID", event, "outbox_events.id")->required();
    CLI::App* cancel = with_json(
        with_file(program.add_subcommand("cancel", "Undo what an event did, last step first")));
    cancel->add_option("EVENT_ID", event, "outbox_events.id")->required();
    app::AuditOptions audit_options;
    CLI::App* audit = with_file(program.add_subcommand(
        "audit", "Hold the whole database against the rules, and print each disagreement; exit 1 "
                 "if there is any"));
    audit->add_flag("--json", audit_options.json, "One JSON object a line");
    audit->add_option("--since", audit_options.since, "Only events from this outbox_events.id on")
        ->check(CLI::PositiveNumber);
    audit->add_option("--limit", audit_options.limit, "Stop after so many lines")
        ->check(CLI::PositiveNumber);
    const app::RecordCommands records(program);
    const app::SimulateCommand simulate(program);
    std::string shell;
    CLI::App* completion =
        program.add_subcommand("completion", "Print what completes this command line in a shell");
    completion->add_option("SHELL", shell, "Which")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    CLI::App* manual = program.add_subcommand("man", "Print the manual page");

    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = program.exit(error);
        return code == 0 ? app::done : app::misuse;
    }
    if (verbose) {
        log::write_everything();
    }
    if (demo->parsed()) {
        if (demo_options.once && port->count() == 0) {
            demo_options.port = 0;
        }
        return app::demo(demo_options);
    }
    if (completion->parsed()) {
        std::cout << app::completion_script(program, shell);
        return app::done;
    }
    if (manual->parsed()) {
        std::cout << app::manual_page(program);
        return app::done;
    }
    if (run->parsed()) {
        return app::run(file);
    }
    if (migrate->parsed()) {
        return app::migrate(file, as_json);
    }
    if (check->parsed()) {
        return app::check(file, as_json);
    }
    if (explain->parsed()) {
        return app::explain(file, event, as_json);
    }
    if (audit->parsed()) {
        return app::audit(file, audit_options);
    }
    if (cancel->parsed()) {
        return app::cancel(file, event, as_json);
    }
    if (const auto code = simulate.run()) {
        return *code;
    }
    return records.run().value_or(app::misuse);
}

} // namespace

int main(int argc, char** argv)
{
    forbid_core_dumps();
    try {
        return dispatch(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "sagabox: " << error.what() << '\n';
        return app::failed;
    }
}
