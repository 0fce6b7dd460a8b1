#include "app/command_tree.hpp"

#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sagabox::app {

namespace {

struct Command {
    std::string path; ///< `dead-letters list`; empty: the program itself
    const CLI::App* app;
};

void gather(const CLI::App& app, const std::string& path, std::vector<Command>& out)
{
    out.push_back({path, &app});
    for (const CLI::App* child : app.get_subcommands({})) {
        gather(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), out);
    }
}

std::vector<Command> commands_of(const CLI::App& program)
{
    std::vector<Command> out;
    gather(program, "", out);
    return out;
}

std::vector<std::string> flags_of(const CLI::Option& option)
{
    std::vector<std::string> out;
    for (const std::string& name : option.get_snames()) {
        out.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        out.push_back("--" + name);
    }
    return out;
}

/// What may stand after an option, where that is a set: `{PENDING,PROCESSED}`.
std::vector<std::string> choices_of(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}');
    std::vector<std::string> out;
    if (open == std::string::npos || close == std::string::npos) {
        return out;
    }
    std::string_view words = std::string_view(type).substr(open + 1, close - open - 1);
    while (!words.empty()) {
        const std::size_t comma = std::min(words.find(','), words.size());
        out.emplace_back(words.substr(0, comma));
        words.remove_prefix(std::min(comma + 1, words.size()));
    }
    return out;
}

std::vector<std::string> words_of(const CLI::App& app)
{
    std::vector<std::string> out;
    for (const CLI::App* child : app.get_subcommands({})) {
        out.push_back(child->get_name());
    }
    for (const CLI::Option* option : app.get_options({})) {
        const std::vector<std::string> flags = flags_of(*option);
        out.insert(out.end(), flags.begin(), flags.end());
        if (option->get_positional()) {
            const std::vector<std::string> choices = choices_of(*option);
            out.insert(out.end(), choices.begin(), choices.end());
        }
    }
    return out;
}

/// The options that take a value: after one of them stands its choice, or else a file.
std::string values_after_options(const std::vector<Command>& commands)
{
    std::string out;
    for (const auto& [path, app] : commands) {
        for (const CLI::Option* option : app->get_options({})) {
            const std::vector<std::string> flags = flags_of(*option);
            if (flags.empty() || option->get_expected_max() == 0) {
                continue;
            }
            const std::vector<std::string> choices = choices_of(*option);
            for (const std::string& flag : flags) {
                out += fmt::format("    \"{} {}\")\n", path, flag);
                out += choices.empty()
                           ? "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
                           : fmt::format("        COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n",
                                         fmt::join(choices, " "));
                out += "        return ;;\n";
            }
        }
    }
    return out;
}

std::string bash(const CLI::App& program)
{
    const std::vector<Command> commands = commands_of(program);
    std::vector<std::string> steps;
    std::string words;
    for (const auto& [path, app] : commands) {
        if (!path.empty()) {
            const std::size_t space = path.rfind(' ');
            steps.push_back(fmt::format("\"{}/{}\"",
                                        space == std::string::npos ? "" : path.substr(0, space),
                                        app->get_name()));
        }
        words += fmt::format("    \"{}\") words='{}' ;;\n", path, fmt::join(words_of(*app), " "));
    }
    return fmt::format(
        R"(# What completes sagabox's command line. Load it by: source <(sagabox completion bash)
_sagabox()
{{
    local current=${{COMP_WORDS[COMP_CWORD]}} path="" words="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path/${{COMP_WORDS[i]}}" in
        {}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$path ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{}    esac
    case $path in
{}    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -F _sagabox sagabox
)",
        fmt::join(steps, " | "), values_after_options(commands), words);
}

/// A text inside single quotes, as fish reads it.
std::string in_quotes(std::string_view text)
{
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "'";
}

std::string fish(const CLI::App& program)
{
    std::string out =
        "# What completes sagabox's command line. Load it by: sagabox completion fish | source\n"
        "complete -c sagabox -f\n";
    for (const auto& [path, app] : commands_of(program)) {
        const std::string when =
            path.empty() ? "__fish_use_subcommand"
                         : fmt::format("__fish_seen_subcommand_from {}", app->get_name());
        for (const CLI::App* child : app->get_subcommands({})) {
            out += fmt::format("complete -c sagabox -n {} -a {} -d {}\n", in_quotes(when),
                               child->get_name(), in_quotes(child->get_description()));
        }
        for (const CLI::Option* option : app->get_options({})) {
            if (flags_of(*option).empty()) {
                continue;
            }
            out += fmt::format("complete -c sagabox -n {}", in_quotes(when));
            for (const std::string& name : option->get_snames()) {
                out += " -s " + name;
            }
            for (const std::string& name : option->get_lnames()) {
                out += " -l " + name;
            }
            if (option->get_expected_max() > 0) {
                const std::vector<std::string> choices = choices_of(*option);
                out += choices.empty() ? std::string(" -r -F")
                                       : fmt::format(" -x -a '{}'", fmt::join(choices, " "));
            }
            out += fmt::format(" -d {}\n", in_quotes(option->get_description()));
        }
    }
    return out;
}

} // namespace

std::string completion_script(const CLI::App& program, const std::string& shell)
{
    if (shell == "fish") {
        return fish(program);
    }
    return shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" + bash(program)
                          : bash(program);
}

} // namespace sagabox::app
