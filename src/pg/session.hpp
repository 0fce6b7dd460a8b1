#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/socket.hpp"
#include "pg/target.hpp"

#include <memory>
#include <string>

#include <libpq-fe.h>

namespace sagabox::pg {

/// A libpq connection, non-blocking and in pipeline mode, with the socket to wait on.
class Session {
public:
    /// Connects to the one host of `target`.
    [[nodiscard]] static Task<Result<std::unique_ptr<Session>>>
    connect(Executor executor, Target target, Deadline deadline);

    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] PGconn* libpq() const { return connection_.get(); }
    [[nodiscard]] Socket& socket() { return socket_; }
    [[nodiscard]] const std::string& where() const { return where_; }

    /// libpq's last message, on one line, with the place where it happened.
    [[nodiscard]] Fault connection_fault(std::string_view what) const;

private:
    Session(Executor executor, PGconn* connection, std::string where);

    struct Finish {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Finish> connection_;
    Socket socket_; ///< after the connection, so that it lets go of the descriptor first
    std::string where_;
};

} // namespace sagabox::pg
