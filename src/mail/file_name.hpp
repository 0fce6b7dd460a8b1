#pragma once

#include "mail/header.hpp"

#include <string>
#include <string_view>

namespace sagabox::mail {

/// Lines that continue a content type with the parameter `name`, for readers that know no other.
/// Beyond ASCII it holds encoded words, which no standard allows there and every reader knows.
[[nodiscard]] Lines name_lines(std::string_view file_name);

/// The disposition of an attachment, with its file name by RFC 2231 where it is not plain.
[[nodiscard]] Lines disposition_lines(std::string_view file_name);

} // namespace sagabox::mail
