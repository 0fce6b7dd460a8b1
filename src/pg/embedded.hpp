#pragma once

#include "base/fault.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace sagabox::pg {

/// A private PostgreSQL cluster in a folder, on a unix socket and a free loopback port, for the
/// demo and the tests.
///
/// The server's programs are found in `SAGABOX_PG_BIN`, in `PATH`, or in Debian's folders.
/// PostgreSQL refuses to run as root, so a start by root gives the folder to another user
/// (`postgres` where that exists, else `nobody`) and starts the server as that user. Durable as a
/// real server: fsync is on.
class EmbeddedCluster {
public:
    struct Options {
        std::filesystem::path folder; ///< made where missing; holds `data`, `socket`, `server.log`
        std::string database = "sagabox";

        /// Off for tests: rows then outlive a crash of the server, but not one of the machine.
        bool durable = true;
    };

    /// Makes the cluster where it is missing, removes what a crash left behind, starts it and waits
    /// until it answers. A cluster that another live process of ours runs is an error that names
    /// the process.
    ///
    /// The server is told to stop when the thread that called this ends, so that it outlives no
    /// process that was killed: call it from the main thread.
    [[nodiscard]] static Result<std::unique_ptr<EmbeddedCluster>> start(Options options);

    /// Stops the server in fast mode and waits for it.
    ~EmbeddedCluster();
    EmbeddedCluster(const EmbeddedCluster&) = delete;
    EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

    [[nodiscard]] const std::string& url() const; ///< over the unix socket
    [[nodiscard]] std::string url(const std::string& database) const;
    [[nodiscard]] int port() const;
    [[nodiscard]] int pid() const;

    /// Ends the server at once, as a power cut would, and starts it again: for tests.
    [[nodiscard]] Result<void> crash_and_restart();
    void crash();                         ///< the first half of that
    [[nodiscard]] Result<void> stop();    ///< for tests of a database that is away
    [[nodiscard]] Result<void> restart(); ///< after `stop` or `crash`

private:
    struct Impl;
    explicit EmbeddedCluster(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace sagabox::pg
