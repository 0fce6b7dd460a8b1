#pragma once

#include "base/fault.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sagabox::pg {

/// Who runs the server: ourselves, or another user where we are root.
struct Account {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;

    [[nodiscard]] static Result<Account> for_server();
};

/// A program that runs as `account`, in a session of its own so that Ctrl-C on our terminal does
/// not reach it, and that is told to end (SIGINT) when the thread that started it dies.
class ChildProcess {
public:
    /// Standard output and error go to the end of `log`; `folder` is the working directory.
    [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& arguments,
                                                    const Account& account,
                                                    const std::filesystem::path& folder,
                                                    const std::filesystem::path& log);

    ChildProcess() = default;
    ~ChildProcess();
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;

    [[nodiscard]] bool running() const { return pid_ > 0; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    void signal(int number) const;

    /// Waits for the end; true when it has come. The exit status is then in `status`.
    [[nodiscard]] bool wait(std::chrono::milliseconds timeout);
    [[nodiscard]] bool succeeded() const;

private:
    explicit ChildProcess(pid_t pid);

    pid_t pid_ = -1;
    int handle_ = -1; ///< a pidfd: becomes readable at the end
    int status_ = 0;
};

/// Waits until a process that need not be our child has ended; true when it has.
[[nodiscard]] bool wait_for_end(pid_t pid, std::chrono::milliseconds timeout);

} // namespace sagabox::pg
