#pragma once

#include "base/fault.hpp"
#include "pg/child_process.hpp"

#include <filesystem>

namespace sagabox::pg {

/// The folder of an embedded cluster, held by this process until destroyed.
class ClusterFolder {
public:
    /// Makes the folder where it is missing and takes its lock. Ends a server that an earlier
    /// process left behind and removes its traces, so that a new one can start.
    [[nodiscard]] static Result<ClusterFolder> take(std::filesystem::path folder, Account account);

    ClusterFolder(ClusterFolder&& other) noexcept;
    ~ClusterFolder();

    [[nodiscard]] const Account& account() const { return account_; }
    [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
    [[nodiscard]] std::filesystem::path data() const { return folder_ / "data"; }
    [[nodiscard]] std::filesystem::path log() const { return folder_ / "server.log"; }

    /// Where the server's socket lies: in the folder, or, where that path is too long for a socket,
    /// in a folder of its own under /tmp.
    [[nodiscard]] const std::filesystem::path& sockets() const { return sockets_; }

    /// What the server wrote to its log last.
    [[nodiscard]] std::string end_of_log() const;

private:
    ClusterFolder(std::filesystem::path folder, Account account, int lock);
    Result<void> make_sockets();
    Result<void> end_orphan() const;

    std::filesystem::path folder_;
    std::filesystem::path sockets_;
    Account account_;
    int lock_ = -1;
};

} // namespace sagabox::pg
