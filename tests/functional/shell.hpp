#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include <sys/wait.h>

namespace sagabox::testing {

/// What a shell's command left: its exit code, and all that it wrote to both of its outputs.
struct ShellRun {
    int code = -1;
    std::string output;
};

/// Runs a command line to its end.
inline ShellRun shell(const std::string& line)
{
    FILE* output = ::popen(("{ " + line + "\n} 2>&1 </dev/null").c_str(), "r");
    if (output == nullptr) {
        throw std::runtime_error("no shell to run " + line);
    }
    ShellRun run;
    char buffer[4096];
    std::size_t got = 0;
    while ((got = std::fread(buffer, 1, sizeof buffer, output)) > 0) {
        run.output.append(buffer, got);
    }
    const int status = ::pclose(output);
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return run;
}

} // namespace sagabox::testing
