#include "base/address_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

namespace sagabox {

namespace {

using Bytes = std::array<std::uint8_t, 16>;

constexpr int mapped_bits = 96; ///< of `::ffff:0:0/96`

Bytes mapped(const void* ipv4)
{
    Bytes out{};
    out[10] = 0xff;
    out[11] = 0xff;
    std::memcpy(out.data() + 12, ipv4, 4);
    return out;
}

std::optional<AddressBlock> parse_address(std::string_view text)
{
    const std::string address(text);
    in_addr four{};
    if (inet_pton(AF_INET, address.c_str(), &four) == 1) {
        return AddressBlock{mapped(&four), 128};
    }
    AddressBlock six;
    if (inet_pton(AF_INET6, address.c_str(), six.address.data()) == 1) {
        return six;
    }
    return std::nullopt;
}

std::optional<AddressBlock> parse_block(std::string_view text)
{
    const std::size_t slash = text.find('/');
    std::optional<AddressBlock> block = parse_address(text.substr(0, slash));
    if (!block || slash == std::string_view::npos) {
        return block;
    }
    const bool four = text.find(':') == std::string_view::npos;
    const std::string_view digits = text.substr(slash + 1);
    int prefix = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
    if (error != std::errc{} || end != digits.data() + digits.size() || prefix < 0 ||
        prefix > (four ? 32 : 128)) {
        return std::nullopt;
    }
    block->prefix = four ? mapped_bits + prefix : prefix;
    return block;
}

/// IANA's special-purpose registries (RFC 6890), by what they mean to who may be called.
std::span<const std::string_view> named(std::string_view name)
{
    static constexpr std::string_view loopback[] = {"127.0.0.0/8", "0.0.0.0/8", "::1", "::"};
    static constexpr std::string_view private_use[] = {
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"};
    static constexpr std::string_view link_local[] = {"169.254.0.0/16", "fe80::/10"};
    static constexpr std::string_view any[] = {"::/0"};
    if (name == "loopback") {
        return loopback;
    }
    if (name == "private") {
        return private_use;
    }
    if (name == "linkLocal") {
        return link_local;
    }
    if (name == "any") {
        return any;
    }
    return {};
}

std::vector<AddressBlock> all_of(const std::vector<std::string>& entries)
{
    std::vector<AddressBlock> out;
    for (const std::string& entry : entries) {
        if (auto blocks = AddressRules::blocks_of(entry)) {
            out.insert(out.end(), blocks->begin(), blocks->end());
        }
    }
    return out;
}

bool has(const std::vector<AddressBlock>& blocks, const Bytes& address)
{
    return std::ranges::any_of(blocks,
                               [&](const AddressBlock& block) { return block.contains(address); });
}

/// The IPv4 address that an IPv6 one is a way to.
std::optional<Bytes> ipv4_within(const Bytes& address)
{
    constexpr std::uint8_t nat64[] = {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};
    if (std::equal(std::begin(nat64), std::end(nat64), address.begin())) {
        return mapped(address.data() + 12);
    }
    if (address[0] == 0x20 && address[1] == 0x02) {
        return mapped(address.data() + 2);
    }
    return std::nullopt;
}

} // namespace

bool AddressBlock::contains(const Bytes& other) const
{
    const auto whole = static_cast<std::size_t>(prefix / 8);
    if (!std::equal(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(whole),
                    other.begin())) {
        return false;
    }
    const int rest = prefix % 8;
    const unsigned mask = (0xffU << (8 - rest)) & 0xffU;
    return rest == 0 || (address[whole] & mask) == (other[whole] & mask);
}

Result<std::vector<AddressBlock>> AddressRules::blocks_of(std::string_view entry)
{
    std::vector<AddressBlock> out;
    for (const std::string_view block : named(entry)) {
        out.push_back(parse_block(block).value());
    }
    if (out.empty()) {
        const std::optional<AddressBlock> block = parse_block(entry);
        if (!block) {
            return fail(Fault::Kind::bad_input,
                        fmt::format("\"{}\" is neither an address, nor a block such as 10.0.0.0/8, "
                                    "nor one of loopback, private, linkLocal, any",
                                    entry));
        }
        out.push_back(*block);
    }
    return out;
}

AddressRules::AddressRules(const std::vector<std::string>& deny,
                           const std::vector<std::string>& allow)
    : deny_(all_of(deny)), allow_(all_of(allow))
{
    if (deny.empty() && !allow.empty()) {
        deny_.push_back(AddressBlock{{}, 0});
    }
}

bool AddressRules::permits(const Bytes& address) const
{
    return !has(deny_, address) || has(allow_, address);
}

bool AddressRules::permits(const sockaddr& peer) const
{
    if (!has_any()) {
        return true;
    }
    Bytes address{};
    if (peer.sa_family == AF_INET) {
        sockaddr_in four{};
        std::memcpy(&four, &peer, sizeof four);
        address = mapped(&four.sin_addr);
    } else if (peer.sa_family == AF_INET6) {
        sockaddr_in6 six{};
        std::memcpy(&six, &peer, sizeof six);
        std::memcpy(address.data(), &six.sin6_addr, address.size());
    } else {
        return false;
    }
    const std::optional<Bytes> within = ipv4_within(address);
    return permits(address) && (!within || permits(*within));
}

} // namespace sagabox
