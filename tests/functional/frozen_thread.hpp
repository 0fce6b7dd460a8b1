#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <sys/ptrace.h>
#include <sys/wait.h>

namespace sagabox::testing {

/// A thread of another process that stands still while this lives.
class FrozenThread {
public:
    FrozenThread(int process, const std::string& name) : id_(find(process, name))
    {
        if (::ptrace(PTRACE_SEIZE, id_, nullptr, nullptr) != 0 ||
            ::ptrace(PTRACE_INTERRUPT, id_, nullptr, nullptr) != 0 ||
            ::waitpid(id_, nullptr, __WALL) != id_) {
            throw std::runtime_error("cannot stop the thread " + name);
        }
    }
    ~FrozenThread() { ::ptrace(PTRACE_DETACH, id_, nullptr, nullptr); }
    FrozenThread(const FrozenThread&) = delete;
    FrozenThread& operator=(const FrozenThread&) = delete;

private:
    static int find(int process, const std::string& name)
    {
        for (const auto& task :
             std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
            std::ifstream file(task.path() / "comm");
            std::string called;
            if (std::getline(file, called) && called == name) {
                return std::stoi(task.path().filename());
            }
        }
        throw std::runtime_error("no thread " + name);
    }

    int id_;
};

} // namespace sagabox::testing
