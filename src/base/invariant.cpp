#include "base/invariant.hpp"

#include "base/log.hpp"

#include <cstdlib>

namespace sagabox {

void invariant_broken(const char* condition, const char* why, const char* file, int line)
{
    log::error("invariant",
               "{}:{}: {} does not hold: {}. This is a bug in Sagabox; leases make it "
               "safe to start again.",
               file, line, condition, why);
    std::abort();
}

} // namespace sagabox
