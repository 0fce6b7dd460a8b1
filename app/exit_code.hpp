#pragma once

namespace sagabox::app {

/// What the program's exit says (contract section 9).
enum ExitCode : int {
    done = 0,
    failed = 1, ///< it was tried, and did not come out well
    misuse = 2, ///< what was asked makes no sense: arguments, configuration
};

} // namespace sagabox::app
