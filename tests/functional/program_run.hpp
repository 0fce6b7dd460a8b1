#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

#include <sys/wait.h>

namespace sagabox::testing {

/// What a run of the program to its end left: its exit code, and all that it wrote to both of its
/// outputs.
struct ProgramRun {
    int code = -1;
    std::string output;
};

/// Runs the program with these arguments, as a shell reads them; 124 where it takes longer than
/// 20 s.
inline ProgramRun run_program(const std::string& arguments)
{
    const std::string command = "timeout 20 " SAGABOX_BINARY " " + arguments + " 2>&1 </dev/null";
    FILE* output = ::popen(command.c_str(), "r");
    if (output == nullptr) {
        throw std::runtime_error("no shell to run " + command);
    }
    ProgramRun run;
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
