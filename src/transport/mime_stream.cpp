#include "transport/mime_stream.hpp"

#include "base/base64.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::transport {

namespace {

constexpr std::size_t base64_line_bytes = 57; ///< that make 76 characters
constexpr std::size_t content_at_once = base64_line_bytes * 1024;
constexpr std::size_t longest_line = 76;

std::size_t base64_size(std::size_t bytes)
{
    const std::size_t lines = (bytes + base64_line_bytes - 1) / base64_line_bytes;
    return (bytes + 2) / 3 * 4 + lines * 2;
}

/// Where a piece of text may end that is encoded on its own: behind a line feed, so that no line
/// break, and no line that has one, is cut.
std::size_t end_of_text_piece(std::string_view text, std::size_t begin)
{
    if (text.size() - begin <= content_at_once) {
        return text.size();
    }
    const std::size_t feed = text.rfind('\n', begin + content_at_once);
    if (feed != std::string_view::npos && feed >= begin) {
        return feed + 1;
    }
    const std::size_t next = text.find('\n', begin + content_at_once);
    return next == std::string_view::npos ? text.size() : next + 1;
}

} // namespace

void append_base64_lines(std::string& out, std::string_view bytes)
{
    out.reserve(out.size() + base64_size(bytes.size()));
    for (std::size_t i = 0; i < bytes.size(); i += base64_line_bytes) {
        append_base64(out, bytes.substr(i, base64_line_bytes));
        out += "\r\n";
    }
}

void append_quoted_printable(std::string& out, std::string_view text)
{
    std::size_t column = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool carriage_return = c == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
        if (c == '\n' || carriage_return) {
            i += carriage_return ? 1 : 0;
            out += "\r\n";
            column = 0;
            continue;
        }
        const std::size_t after = i + 1;
        const bool ends_line = after == text.size() || text[after] == '\n' || text[after] == '\r';
        const bool blank = c == ' ' || c == '\t';
        const bool plain = blank ? !ends_line : c > ' ' && c <= '~' && c != '=';
        const std::size_t width = plain ? 1 : 3;
        if (column + width > longest_line - (ends_line ? 0 : 1)) {
            out += "=\r\n";
            column = 0;
        }
        if (plain) {
            out += c;
        } else {
            fmt::format_to(std::back_inserter(out), "={:02X}", static_cast<unsigned char>(c));
        }
        column += width;
    }
}

std::string dots_doubled(std::string text)
{
    std::size_t dot = text.starts_with('.') ? 0 : text.find("\n.");
    if (dot == std::string::npos) {
        return text;
    }
    std::string doubled;
    doubled.reserve(text.size() + 16);
    char before = '\n';
    for (const char c : text) {
        if (c == '.' && before == '\n') {
            doubled += '.';
        }
        doubled += c;
        before = c;
    }
    return doubled;
}

MimeStream::MimeStream(const std::vector<std::string>& headers, const MimePart& body)
{
    pieces_.emplace_back();
    for (const std::string& line : headers) {
        add_text(line);
    }
    add_part(body);
    for (Piece& piece : pieces_) {
        piece.ends_line = piece.leaf == &body;
    }
}

void MimeStream::add_text(std::string_view line)
{
    pieces_.back().text.append(line).append("\r\n");
}

void MimeStream::add_part(const MimePart& part)
{
    const bool is_multipart = !part.parts.empty();
    // Neither encoding writes `=` before `_`, so no content can hold a boundary; and none of them
    // begins another.
    const std::string boundary = fmt::format("=_part_{}_", is_multipart ? ++boundaries_ : 0);
    add_text(fmt::format("Content-Type: {}{}", part.content_type, is_multipart ? ";" : ""));
    if (is_multipart) {
        add_text(fmt::format(" boundary=\"{}\"", boundary));
    }
    for (const std::string& line : part.headers) {
        add_text(line);
    }
    if (!is_multipart) {
        const bool base64 = part.encoding == MimePart::Encoding::base64;
        add_text(base64 ? "Content-Transfer-Encoding: base64"
                        : "Content-Transfer-Encoding: quoted-printable");
        add_text("");
        pieces_.back().leaf = &part;
        pieces_.emplace_back();
        return;
    }
    for (const MimePart& child : part.parts) {
        // The line break before a boundary belongs to the boundary.
        add_text("");
        add_text("--" + boundary);
        add_part(child);
    }
    add_text("");
    add_text("--" + boundary + "--");
}

std::size_t MimeStream::size() const
{
    std::size_t bytes = 0;
    for (const Piece& piece : pieces_) {
        bytes += piece.text.size();
        if (piece.leaf == nullptr) {
            continue;
        }
        const std::string& content = piece.leaf->content;
        if (piece.leaf->encoding == MimePart::Encoding::base64) {
            bytes += base64_size(content.size());
            continue;
        }
        std::string encoded;
        for (std::size_t begin = 0; begin < content.size();) {
            const std::size_t end = end_of_text_piece(content, begin);
            encoded.clear();
            append_quoted_printable(encoded, std::string_view(content).substr(begin, end - begin));
            bytes += encoded.size();
            begin = end;
        }
        bytes += piece.ends_line && !encoded.empty() && !encoded.ends_with('\n') ? 2U : 0U;
    }
    return bytes;
}

bool MimeStream::read(std::string& out)
{
    if (piece_ == pieces_.size()) {
        return false;
    }
    const Piece& piece = pieces_[piece_];
    if (!text_written_) {
        out += piece.text;
        text_written_ = true;
    }
    std::string_view content;
    if (piece.leaf != nullptr) {
        content = piece.leaf->content;
    }
    if (position_ < content.size()) {
        const bool base64 = piece.leaf->encoding == MimePart::Encoding::base64;
        const std::size_t end = base64 ? std::min(position_ + content_at_once, content.size())
                                       : end_of_text_piece(content, position_);
        const std::string_view part = content.substr(position_, end - position_);
        base64 ? append_base64_lines(out, part) : append_quoted_printable(out, part);
        position_ = end;
    }
    if (position_ == content.size()) {
        if (piece.ends_line && !out.ends_with('\n')) {
            out += "\r\n";
        }
        ++piece_;
        position_ = 0;
        text_written_ = false;
    }
    return true;
}

} // namespace sagabox::transport
