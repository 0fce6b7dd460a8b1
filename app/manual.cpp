#include "app/command_tree.hpp"

#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace sagabox::app {

namespace {

/// Text as roff reads it: a backslash, a hyphen and a line's first dot or quote mean something
/// else.
std::string roff(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const bool begins = out.empty() || out.back() == '\n';
        if (begins && (c == '.' || c == '\'')) {
            out += "\\&";
        }
        out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    }
    return out;
}

std::string term_of(const CLI::Option& option)
{
    std::string out;
    for (const std::string& name : option.get_snames()) {
        out += (out.empty() ? "" : ", ") + ("\\fB" + roff("-" + name) + "\\fR");
    }
    for (const std::string& name : option.get_lnames()) {
        out += (out.empty() ? "" : ", ") + ("\\fB" + roff("--" + name) + "\\fR");
    }
    if (out.empty()) {
        return "\\fI" + roff(option.get_name(true)) + "\\fR";
    }
    if (option.get_expected_max() > 0) {
        out += " \\fI" + roff(option.get_type_name()) + "\\fR";
    }
    return out;
}

std::string options_of(const CLI::App& app)
{
    std::string out;
    for (const CLI::Option* option : app.get_options({})) {
        std::string what = option->get_description();
        if (!option->get_default_str().empty()) {
            what += " (default: " + option->get_default_str() + ")";
        }
        out += ".TP\n" + term_of(*option) + "\n" + roff(what) + ".\n";
    }
    return out;
}

void describe(const CLI::App& app, const std::string& path, std::string& out)
{
    for (const CLI::App* child : app.get_subcommands({})) {
        const std::string name = path.empty() ? child->get_name() : path + " " + child->get_name();
        if (child->get_subcommands({}).empty()) {
            out += ".SS " + roff(name) + "\n" + roff(child->get_description()) + ".\n";
            out += options_of(*child);
        }
        describe(*child, name, out);
    }
}

} // namespace

std::string manual_page(const CLI::App& program)
{
    std::string commands;
    describe(program, "", commands);
    return fmt::format(R"(.TH SAGABOX 1 "" "sagabox {}"
.SH NAME
sagabox \- transactional outbox, result table and saga compensation for PostgreSQL
.SH SYNOPSIS
.B sagabox
.I COMMAND
.RI [ OPTION ]...
.SH DESCRIPTION
{}
.SH OPTIONS
{}.SH COMMANDS
{}.SH EXIT STATUS
0: done. 1: failed. 2: misuse, or a configuration with problems.
.SH SIGNALS
SIGHUP reads the configuration anew. SIGTERM and SIGINT stop: no new claims, and calls under way have
\fIoutbox.shutdownGrace\fR to end. A second one stops at once.
.SH ENVIRONMENT
.TP
\fBSAGABOX_DATABASE_URL\fR
Beats \fIdatabase.url\fR.
.TP
\fBSAGABOX_HTTP_TOKEN\fR
Beats \fIhttp.auth.token\fR.
.SH FILES
.TP
.I /etc/sagabox/sagabox.conf
The configuration of the service that the Debian package installs.
)",
                       SAGABOX_VERSION, roff(program.get_description()), options_of(program),
                       commands);
}

} // namespace sagabox::app
