#pragma once

#include "base/fault.hpp"
#include "mail/address.hpp"
#include "mail/message.hpp"

#include <string>
#include <vector>

namespace sagabox::mail {

/// The one choke point: the first field that becomes a header or goes into the envelope and holds
/// CR, LF or NUL; empty: none does.
[[nodiscard]] std::string field_that_breaks_lines(const Message& message);

/// Everybody whom a message names.
struct Parties {
    std::vector<Address> to;
    std::vector<Address> cc;
    std::vector<Address> bcc;
    std::vector<Address> reply_to; ///< one or none
};

/// Fails, naming the field, where an address can't be read.
[[nodiscard]] Result<Parties> read_parties(const Message& message);

/// Who is to get the message: each mailbox once, in the order to, cc, bcc, without those to skip.
[[nodiscard]] std::vector<std::string> envelope_of(const Parties& parties,
                                                   const std::vector<std::string>& skip);

} // namespace sagabox::mail
