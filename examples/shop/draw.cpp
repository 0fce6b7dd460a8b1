#include "shop/draw.hpp"

#include <cmath>

namespace shop {

std::uint64_t stable_hash(std::string_view text, std::uint64_t from)
{
    for (const char c : text) {
        from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return from;
}

// SplitMix64's last step.
double spread(std::uint64_t number)
{
    number += 0x9e3779b97f4a7c15U;
    number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
    number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
    return std::ldexp(static_cast<double>((number ^ (number >> 31U)) >> 11U), -53);
}

} // namespace shop
