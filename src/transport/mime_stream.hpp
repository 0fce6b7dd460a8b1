#pragma once

#include "transport/smtp_client.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::transport {

/// Writes a message as it travels by SMTP, piece by piece, so that it is never held in memory as a
/// whole a second time. All of it is ASCII where the headers are, in lines of 998 bytes at most
/// that end with CRLF, the last one too.
///
/// Refers to what it is given, which must outlive it.
class MimeStream {
public:
    MimeStream(const std::vector<std::string>& headers, const MimePart& body);

    /// Bytes of the whole message, as RFC 1870 counts them.
    [[nodiscard]] std::size_t size() const;

    /// Appends some tens of kilobytes, dots not doubled yet. False when nothing was left.
    [[nodiscard]] bool read(std::string& out);

private:
    struct Piece {
        std::string text;
        const MimePart* leaf = nullptr; ///< its content comes after `text`
        bool ends_line = false; ///< of a leaf that no boundary follows, which would begin with CRLF
    };

    void add_part(const MimePart& part);
    void add_text(std::string_view line);

    std::vector<Piece> pieces_;
    std::size_t piece_ = 0;
    std::size_t position_ = 0; ///< in the content of the current piece
    bool text_written_ = false;
    unsigned boundaries_ = 0;
};

/// Appends base64 in lines of 76 characters, each of which ends with CRLF.
void append_base64_lines(std::string& out, std::string_view bytes);

/// Appends quoted-printable text in lines of 76 characters at most. The last of them is ended where
/// the text's is.
void append_quoted_printable(std::string& out, std::string_view text);

/// Doubles the dots with which lines begin (RFC 5321 section 4.5.2). Requires that `text` begins a
/// line.
[[nodiscard]] std::string dots_doubled(std::string text);

} // namespace sagabox::transport
