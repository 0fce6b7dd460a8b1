#pragma once

#include "pg/value.hpp"
#include "store/mail.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::store {

/// A column of `to_jsonb(text[])`.
[[nodiscard]] std::vector<std::string> read_texts(const pg::Rows& rows, std::size_t row,
                                                  std::size_t column);

/// A moment that may be missing.
[[nodiscard]] std::optional<DbTime> read_moment(const pg::Rows& rows, std::size_t row,
                                                std::size_t column);

/// Rows of `load_mail_attachments`.
[[nodiscard]] std::vector<MailAttachment> read_attachments(const pg::Rows& rows);

} // namespace sagabox::store
