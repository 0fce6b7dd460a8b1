#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sagabox::app {

/// Tells systemd how the program fares, by the protocol of sd_notify(3). Where no service manager
/// listens, everything here does nothing.
class Systemd {
public:
    /// Takes `NOTIFY_SOCKET` and `WATCHDOG_USEC` out of the environment, so that no child speaks in
    /// our name.
    Systemd();

    void ready() const;
    void reloading() const; ///< `ready` says when it is over
    void stopping() const;
    void status(std::string_view text) const; ///< one line for `systemctl status`

    /// How often `alive` is to be called, with room to spare; nothing: nobody watches.
    [[nodiscard]] std::optional<std::chrono::milliseconds> pulse() const { return pulse_; }
    void alive() const;

private:
    void send(const std::string& message) const;

    std::string socket_;
    std::optional<std::chrono::milliseconds> pulse_;
};

} // namespace sagabox::app
