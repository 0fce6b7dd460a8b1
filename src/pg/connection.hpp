#pragma once

#include "base/clock.hpp"
#include "base/fault.hpp"
#include "base/task.hpp"
#include "pg/value.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::pg {

/// How to reach a server and what each session is told first.
struct Options {
    /// A libpq connection string or URL, several hosts allowed. `target_session_attrs=read-write`
    /// is added where the string does not say otherwise.
    std::string url;
    std::string schema = "public";
    std::string application_name = "sagabox";

    /// `never` is for a pooler in transaction mode: nothing is prepared, and since each transaction
    /// may run on another session, the settings are sent along with each and end with it.
    enum class Prepare : std::uint8_t { named, never } prepare = Prepare::named;

    /// `SET` statements for each new session, besides the layer's own (search_path, time zone UTC,
    /// ISO dates, standard_conforming_strings).
    std::vector<std::pair<std::string, std::string>> settings;

    std::chrono::milliseconds statement_timeout{30'000};
};

/// One statement with its parameters, for `Connection::run` and `Connection::transact`.
struct Query {
    Statement statement;
    Params params;
};

struct Notification {
    std::string channel;
    std::string payload;
};

/// A session with PostgreSQL as coroutines over libpq's non-blocking interface. Lives on one
/// executor; one operation at a time, except that `wait_notification` may be cut short.
///
/// No method leaves a transaction open: each sends its statements in pipeline mode with one Sync,
/// so that they form one implicit transaction that has committed, or been rolled back whole, when
/// the method returns. That makes it impossible to hold a transaction across a call to somebody
/// else.
///
/// A fault that `breaks_connection()` leaves the object closed; open a new one. So does a task that
/// is cancelled in the middle of anything but `wait_notification`.
class Connection {
public:
    [[nodiscard]] static Task<Result<std::unique_ptr<Connection>>>
    open(Executor executor, Options options, Deadline deadline);

    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Runs one statement in a transaction of its own.
    [[nodiscard]] Task<Result<Rows>> run(Query query, Deadline deadline);

    /// Runs statements in one transaction, in one round trip. Each statement's rows, in order. On a
    /// fault nothing took effect, except that a fault with `outcome_unknown()` came after the
    /// commit was asked for.
    [[nodiscard]] Task<Result<std::vector<Rows>>> transact(std::vector<Query> queries,
                                                           Deadline deadline);

    /// Decides, from the rows of a transaction's first statements, what else it does; an empty
    /// vector ends it.
    using Continue = std::vector<Query> (*)(const std::vector<Rows>& first, void* context);

    /// As `transact`, with a second round trip inside the same transaction: `more` sees the rows of
    /// `queries` and names the statements that follow before the commit. Waits for nothing but the
    /// server. The rows of all statements, in order.
    [[nodiscard]] Task<Result<std::vector<Rows>>>
    transact(std::vector<Query> queries, Continue more, void* context, Deadline deadline);

    /// Runs text of several statements, separated by semicolons, in one transaction: migrations.
    [[nodiscard]] Task<Result<void>> script(std::string text, Deadline deadline);

    /// Waits for a notification on a channel that this session listens to; nothing at the deadline.
    [[nodiscard]] Task<Result<std::optional<Notification>>> wait_notification(Deadline deadline);

    [[nodiscard]] bool open() const;
    /// `server_version_num`, for example 150020.
    [[nodiscard]] int server_version() const;
    /// Host and database, without secrets: for messages.
    [[nodiscard]] const std::string& where() const;

private:
    struct Impl;
    explicit Connection(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// `url` without password: for messages.
[[nodiscard]] std::string without_password(const std::string& url);

} // namespace sagabox::pg
