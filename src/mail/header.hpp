#pragma once

#include "mail/address.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sagabox::mail {

/// Lines of a header. One that begins with a blank continues the one before.
using Lines = std::vector<std::string>;

/// `words` behind `name: `, broken between words so that no line is longer than 78 characters where
/// words allow it.
[[nodiscard]] Lines fold(std::string_view name, const std::vector<std::string>& words);

/// RFC 2047's encoded words for `text`, each 75 characters at most and of whole characters.
[[nodiscard]] std::vector<std::string> encoded_words(std::string_view text);

/// Free text, such as a subject: as it stands where it is plain, or else in encoded words.
[[nodiscard]] std::vector<std::string> text_words(std::string_view text);

/// Addresses with their names (RFC 5322 section 3.4), separated by commas.
[[nodiscard]] std::vector<std::string> address_words(const std::vector<Address>& addresses);

} // namespace sagabox::mail
