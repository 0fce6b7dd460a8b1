#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sagabox::sim {

/// The only source of chance in the simulation: the same seed throws the same numbers on every
/// machine and with every compiler, so a seed is all that a replay needs.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 0x632BE59BD9B4E019ULL)
    {
    }

    [[nodiscard]] std::uint64_t next()
    {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    /// 0 … n - 1
    [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

    [[nodiscard]] int between(int low, int high)
    {
        return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
    }

    /// True so many times in a thousand.
    [[nodiscard]] bool chance(int in_a_thousand) { return between(0, 999) < in_a_thousand; }

    template <class T>
    [[nodiscard]] const T& pick(const std::vector<T>& of)
    {
        return of[below(of.size())];
    }

private:
    std::uint64_t state_;
};

} // namespace sagabox::sim
