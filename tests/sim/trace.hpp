#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sagabox::sim {

/// What happened, line by line; kept only when somebody will read it, since 100,000 sagas say a
/// lot.
class Trace {
public:
    enum class Keep : std::uint8_t { nothing, everything };

    explicit Trace(Keep keep) : keep_(keep) {}

    [[nodiscard]] bool on() const { return keep_ == Keep::everything; }
    void note(std::string line) { lines_.push_back(std::move(line)); }
    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

private:
    Keep keep_;
    std::vector<std::string> lines_;
};

} // namespace sagabox::sim
