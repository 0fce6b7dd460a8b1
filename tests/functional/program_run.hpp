#pragma once

#include "tests/functional/shell.hpp"

#include <string>

namespace sagabox::testing {

using ProgramRun = ShellRun;

/// Runs the program with these arguments, as a shell reads them; 124 where it takes longer than
/// 20 s.
inline ProgramRun run_program(const std::string& arguments)
{
    return shell("timeout 20 " SAGABOX_BINARY " " + arguments);
}

} // namespace sagabox::testing
