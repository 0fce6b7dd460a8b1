// Linked with libFuzzer, once for each target: SAGABOX_FUZZ_TARGET names its function.
#include "tests/fuzz/target.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    SAGABOX_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
    return 0;
}
