#pragma once

#include <cstdint>
#include <memory>

namespace sagabox::torture {

/// A TCP proxy on a thread of its own that can go half open: bytes vanish and no end is seen, on
/// old connections and on new ones, as behind a firewall that forgot them.
///
/// A connection that was cut off so stays dumb for ever; once the gate has healed, its other side
/// is closed as soon as one side is.
class Gate {
public:
    /// Passes connections on to this port of 127.0.0.1.
    explicit Gate(std::uint16_t target);
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    [[nodiscard]] std::uint16_t port() const;
    void swallow();
    void heal();

    /// The network tells both sides of dumb connections that they are no more.
    void reset_dumb();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace sagabox::torture
