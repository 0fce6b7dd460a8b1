#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sagabox::torture {

/// The only source of chance: the same seed throws the same numbers on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    [[nodiscard]] std::uint64_t next()
    {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    [[nodiscard]] int between(int low, int high)
    {
        return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

    /// True so many times in a hundred.
    [[nodiscard]] bool chance(int in_a_hundred) { return between(0, 99) < in_a_hundred; }

    template <class T>
    [[nodiscard]] const T& pick(const std::vector<T>& of)
    {
        return of[static_cast<std::size_t>(next() % of.size())];
    }

private:
    std::uint64_t state_;
};

/// A seed of its own for everything that has a name, so that it does not depend on what else
/// happened before.
[[nodiscard]] inline std::uint64_t seed_of(std::uint64_t seed, std::string_view name)
{
    std::uint64_t hash = 14695981039346656037ULL ^ (seed * 0x9E3779B97F4A7C15ULL); // FNV-1a
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return hash;
}

} // namespace sagabox::torture
