#pragma once

#include "base/fault.hpp"
#include "base/mime.hpp"
#include "mail/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sagabox::mail {

/// A message ready for the wire.
struct Composed {
    std::string sender;                  ///< bare address, the domain in ASCII
    std::vector<std::string> recipients; ///< the same; each once, in the order to, cc, bcc
    std::vector<std::string> headers;    ///< lines; one that begins with a blank continues
    MimePart body;
};

/// Writes `message` as RFC 5322 and MIME have it. Contents are moved, not copied.
///
/// Whoever is in `skip` is left out of the recipients and stays in the headers, since the message
/// is the same for all; `bcc` is in the recipients alone. Everything is ASCII but an address whose
/// part before the `@` is not: that demands SMTPUTF8. The same message gives the same bytes at each
/// try.
///
/// Fails, naming the field, where anything that becomes a header holds CR, LF or NUL, or an address
/// can't be read: intake has let none pass, and none passes here.
[[nodiscard]] Result<Composed> compose(Message message, std::string_view from,
                                       const std::vector<std::string>& skip);

} // namespace sagabox::mail
