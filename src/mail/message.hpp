#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sagabox::mail {

struct Attachment {
    std::string file_name;
    std::string content_type;
    std::string content; ///< the bytes themselves
};

/// A message as it is stored, complete. Accepted at intake: its addresses keep the grammar, and no
/// field that becomes a header holds CR, LF or NUL.
struct Message {
    std::int64_t id = 0;
    std::string message_id; ///< with its angle brackets; the same at every try
    std::string correlation_id;
    std::string document_type;
    std::string idempotency_key;
    DbTime received_at;
    std::vector<std::string> to; ///< each an address, with or without a display name
    std::vector<std::string> cc;
    std::vector<std::string> bcc;
    std::string reply_to;
    std::string subject;
    std::string text;
    std::string html;
    std::vector<Attachment> attachments;
};

} // namespace sagabox::mail
