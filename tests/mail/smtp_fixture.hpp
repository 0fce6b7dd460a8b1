#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace sagabox::testing {

/// A real SMTP server: tests/mail/server.mjs, which says what settings there are, in a process of
/// its own at a free port of 127.0.0.1. It records what it tells; all members may be called from
/// any thread.
class SmtpServer {
public:
    using Json = nlohmann::json;

    /// How long anything may take that is waited for here.
    static constexpr std::chrono::seconds patience{20};

    /// Why no such server can be started on this machine; empty: it can. For GTEST_SKIP.
    [[nodiscard]] static std::string why_missing();

    /// Returns when the server listens; throws where it doesn't start.
    explicit SmtpServer(const Json& settings = Json::object());
    ~SmtpServer();
    SmtpServer(const SmtpServer&) = delete;
    SmtpServer& operator=(const SmtpServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;

    /// Changes `replies`, `utf8`, `raw` and `inject`, all four at once; returns when it is so.
    void change(const Json& settings);

    /// SIGKILL. Returns when all that it has told is known here: it tells of a message before it
    /// answers for it.
    void kill();

    /// What was told of this kind until now, whatever is still on its way here included:
    /// `connection`, `closed`, `sign_in`, `command`, `arrived`, `unanswered`, `hanging`, `message`.
    [[nodiscard]] std::vector<Json> told(std::string_view event) const;
    [[nodiscard]] std::size_t count(std::string_view event) const { return told(event).size(); }

    /// Waits until at least `n` were told; false when they were not within `patience`.
    [[nodiscard]] bool wait_for(std::string_view event, std::size_t n) const;

    /// The `n`th message, from 0; throws when it does not arrive.
    [[nodiscard]] Json message(std::size_t n = 0) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The bytes of standard base64.
[[nodiscard]] std::string from_base64(std::string_view text);

} // namespace sagabox::testing
