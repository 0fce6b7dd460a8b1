#include "tests/mail/smtp_fixture.hpp"

#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sagabox::testing {

namespace {

const std::string folder = std::string(SAGABOX_SOURCE_DIR) + "/tests/mail";

std::array<int, 2> open_pipe()
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe is left");
    }
    return ends;
}

} // namespace

struct SmtpServer::Impl {
    explicit Impl(const Json& settings);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void read();
    void end(); ///< SIGKILL, and everything it has told is read
    std::size_t count_locked(std::string_view event) const;
    void command(const std::string& line, std::string_view answer);

    mutable std::mutex mutex;
    mutable std::condition_variable changed;
    std::vector<Json> events;
    bool ended = false;

    pid_t process = -1;
    int control = -1;
    int output = -1;
    std::thread reader;
};

SmtpServer::Impl::Impl(const Json& settings)
{
    const auto input_ends = open_pipe();
    const auto output_ends = open_pipe();
    const std::string program = folder + "/server.mjs";
    const std::string argument = settings.dump();
    process = fork();
    if (process == 0) {
        dup2(input_ends[0], STDIN_FILENO);
        dup2(output_ends[1], STDOUT_FILENO);
        execlp("node", "node", program.c_str(), argument.c_str(), nullptr);
        _exit(127);
    }
    close(input_ends[0]);
    close(output_ends[1]);
    control = input_ends[1];
    output = output_ends[0];
    reader = std::thread([this] { read(); });
}

SmtpServer::Impl::~Impl()
{
    end();
    close(control);
    close(output);
}

void SmtpServer::Impl::end()
{
    if (reader.joinable()) {
        ::kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
        reader.join();
    }
}

void SmtpServer::Impl::read()
{
    std::string pending;
    std::array<char, 65536> buffer{};
    for (;;) {
        const ssize_t got = ::read(output, buffer.data(), buffer.size());
        const std::lock_guard lock(mutex);
        if (got <= 0) {
            ended = true;
            changed.notify_all();
            return;
        }
        std::size_t searched = pending.size();
        pending.append(buffer.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t end = pending.find('\n', searched); end != std::string::npos;
             end = pending.find('\n', begin)) {
            events.push_back(Json::parse(pending.substr(begin, end - begin)));
            begin = end + 1;
        }
        pending.erase(0, begin);
        changed.notify_all();
    }
}

std::size_t SmtpServer::Impl::count_locked(std::string_view event) const
{
    std::size_t count = 0;
    for (const Json& told : events) {
        count += told.at("event") == event ? 1U : 0U;
    }
    return count;
}

/// Returns when it was answered; throws where it is not. An ended server has nobody to answer.
void SmtpServer::Impl::command(const std::string& line, std::string_view answer)
{
    std::unique_lock lock(mutex);
    if (ended) {
        return;
    }
    const std::size_t before = count_locked(answer);
    lock.unlock();
    const std::string bytes = line + "\n";
    if (write(control, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        throw std::runtime_error("the SMTP server takes no commands");
    }
    lock.lock();
    const auto answered = [&] {
        return count_locked(answer) > before;
    };
    if (!changed.wait_for(lock, patience, answered)) {
        throw std::runtime_error("the SMTP server did not answer a command");
    }
}

std::string SmtpServer::why_missing()
{
    if (std::system("node --version > /dev/null 2>&1") != 0) {
        return "node is not installed (scripts/install-deps --tests)";
    }
    if (!std::filesystem::is_directory(folder + "/node_modules/smtp-server")) {
        return "tests/mail/node_modules is missing (scripts/install-deps --tests)";
    }
    return {};
}

SmtpServer::SmtpServer(const Json& settings) : impl_(std::make_unique<Impl>(settings))
{
    if (!wait_for("listening", 1)) {
        throw std::runtime_error("the SMTP server did not start");
    }
}

SmtpServer::~SmtpServer() = default;

void SmtpServer::kill()
{
    impl_->end();
}

std::uint16_t SmtpServer::port() const
{
    return told("listening").front().at("port").get<std::uint16_t>();
}

void SmtpServer::change(const Json& settings)
{
    impl_->command(settings.dump(), "configured");
}

std::vector<SmtpServer::Json> SmtpServer::told(std::string_view event) const
{
    impl_->command("", "asked");
    const std::lock_guard lock(impl_->mutex);
    std::vector<Json> found;
    for (const Json& told : impl_->events) {
        if (told.at("event") == event) {
            found.push_back(told);
        }
    }
    return found;
}

bool SmtpServer::wait_for(std::string_view event, std::size_t n) const
{
    std::unique_lock lock(impl_->mutex);
    const auto reached = [&] {
        return impl_->ended || impl_->count_locked(event) >= n;
    };
    impl_->changed.wait_for(lock, patience, reached);
    return impl_->count_locked(event) >= n;
}

SmtpServer::Json SmtpServer::message(std::size_t n) const
{
    if (!wait_for("message", n + 1)) {
        throw std::runtime_error("no such message has arrived");
    }
    return told("message")[n];
}

std::string from_base64(std::string_view text)
{
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned held = 0;
    int bits = 0;
    for (const char c : text.substr(0, text.find('='))) {
        held = held << 6U | static_cast<unsigned>(alphabet.find(c));
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes += static_cast<char>(held >> static_cast<unsigned>(bits) & 0xFFU);
        }
    }
    return bytes;
}

} // namespace sagabox::testing
