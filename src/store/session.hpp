#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "pg/connection.hpp"

#include <functional>
#include <memory>
#include <string>

namespace sagabox::store {

/// One connection that comes back by itself: opened when it is first asked for, and again, with a
/// growing pause, after it was lost. Says so in the log once per change of state.
class Session {
public:
    /// `purpose` names the connection in the log and in `application_name`.
    Session(Executor executor, pg::Options options, std::string purpose);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// An open connection, however long that takes; ends only by `operation_aborted`.
    [[nodiscard]] Task<pg::Connection*> get();

    /// Whether the last attempt to reach the server succeeded.
    [[nodiscard]] bool up() const { return up_; }

    void close();

private:
    Executor executor_;
    pg::Options options_;
    std::string purpose_;
    std::unique_ptr<pg::Connection> connection_;
    bool up_ = true;
    bool ever_ = false;
};

/// Settings of the relay's own sessions: plans that stay good on tables that were empty when they
/// were made (join plans on empty tables turn into scans of whole tables once these fill).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> planner_settings();

} // namespace sagabox::store
