#pragma once

namespace sagabox {

/// Ends the process with a message. For states that only a bug of ours can reach: a lease makes a
/// crash cheap, and a wrong write is dear.
[[noreturn]] void invariant_broken(const char* condition, const char* why, const char* file,
                                   int line);

} // namespace sagabox

/// Checked in every build. `why` says what would go wrong if we went on.
#define SAGABOX_INVARIANT(condition, why)                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ::sagabox::invariant_broken(#condition, why, __FILE__, __LINE__);                      \
        }                                                                                          \
    } while (false)
