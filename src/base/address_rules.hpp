#pragma once

#include "base/fault.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace sagabox {

/// A block of IP addresses. IPv4 is kept as IPv6 has it, `::ffff:a.b.c.d` (RFC 4291, 2.5.5.2).
struct AddressBlock {
    std::array<std::uint8_t, 16> address{};
    int prefix = 128; ///< leading bits that count

    [[nodiscard]] bool contains(const std::array<std::uint8_t, 16>& other) const;
};

/// Which peers may be connected to. Judged is the address that the socket would go to, so a name
/// that resolves to another address from one moment to the next gains nothing.
///
/// An address is refused where `deny` has it and `allow` does not. With `allow` alone, everything
/// else is refused; with neither, nothing is.
class AddressRules {
public:
    AddressRules() = default;

    /// What one entry stands for: an address, a block (`10.0.0.0/8`), or one of the names
    /// `loopback`, `private`, `linkLocal`, `any`. A fault names what is wrong.
    [[nodiscard]] static Result<std::vector<AddressBlock>> blocks_of(std::string_view entry);

    /// Entries that `blocks_of` takes.
    AddressRules(const std::vector<std::string>& deny, const std::vector<std::string>& allow);

    [[nodiscard]] bool has_any() const { return !deny_.empty() || !allow_.empty(); }

    /// False for anything but IPv4 and IPv6 too, where there is any rule. IPv4 within IPv6 (mapped,
    /// NAT64 of RFC 6052, 6to4 of RFC 3056) is judged as the IPv4 address that it leads to as well.
    [[nodiscard]] bool permits(const sockaddr& peer) const;

private:
    [[nodiscard]] bool permits(const std::array<std::uint8_t, 16>& address) const;

    std::vector<AddressBlock> deny_;
    std::vector<AddressBlock> allow_;
};

} // namespace sagabox
