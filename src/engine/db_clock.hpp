#pragma once

#include "base/clock.hpp"

namespace sagabox::engine {

/// PostgreSQL's clock as well as we know it: its last word, and the time that has passed here
/// since.
///
/// Never ahead of the real one, since an answer is older than its arrival; and independent of this
/// machine's wall clock, which may be minutes off.
class DbClock {
public:
    void heard(DbTime now)
    {
        if (now > this->now()) {
            at_ = now;
            when_ = std::chrono::steady_clock::now();
        }
    }
    [[nodiscard]] DbTime now() const
    {
        return at_ + std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::steady_clock::now() - when_);
    }

private:
    DbTime at_;
    Instant when_ = std::chrono::steady_clock::now();
};

} // namespace sagabox::engine
