#include "transport/smtp_syntax.hpp"

#include <algorithm>

namespace sagabox::transport {

namespace {

constexpr std::size_t longest_line = 998;
constexpr std::size_t longest_address = 320;

bool breaks_lines(std::string_view text)
{
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

bool is_ascii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return (c & '\x80') == 0; });
}

/// An address stands between angle brackets, with parameters behind them: it may not close them.
bool is_bare_address(std::string_view address)
{
    bool quoted = false;
    for (std::size_t i = 0; i < address.size(); ++i) {
        const char c = address[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted && c == '\\') {
            ++i;
        } else if (!quoted && (c == '<' || c == '>' || c == ' ' || c == '\t')) {
            return false;
        }
    }
    return !quoted && address.size() <= longest_address;
}

bool are_header_lines(const std::vector<std::string>& lines, bool first_may_continue)
{
    bool may_continue = first_may_continue;
    for (const std::string& line : lines) {
        const bool continues = line.starts_with(' ') || line.starts_with('\t');
        const std::size_t colon = line.find(':');
        const bool named = colon != std::string::npos && colon > 0 &&
                           std::all_of(line.begin(), line.begin() + static_cast<long>(colon),
                                       [](char c) { return c > ' ' && c <= '~'; });
        if (breaks_lines(line) || line.size() > longest_line ||
            !(continues ? may_continue : named)) {
            return false;
        }
        may_continue = true;
    }
    return true;
}

bool is_part(const MimePart& part)
{
    return !part.content_type.empty() && !breaks_lines(part.content_type) &&
           part.content_type.size() < longest_line - 20 && are_header_lines(part.headers, true) &&
           std::all_of(part.parts.begin(), part.parts.end(), is_part);
}

bool is_ascii_part(const MimePart& part)
{
    return is_ascii(part.content_type) &&
           std::all_of(part.headers.begin(), part.headers.end(), is_ascii) &&
           std::all_of(part.parts.begin(), part.parts.end(), is_ascii_part);
}

} // namespace

std::string_view why_refused(const SmtpRequest& request)
{
    const bool host_is_name =
        !request.host.empty() && std::none_of(request.host.begin(), request.host.end(), [](char c) {
            return (c >= '\0' && c <= ' ') ||
                   std::string_view("/?#@%\\[]").find(c) != std::string_view::npos;
        });
    if (!host_is_name) {
        return "the server's name is none";
    }
    if (breaks_lines(request.client_name) || request.client_name.find(' ') != std::string::npos) {
        return "the client's name is none";
    }
    if (breaks_lines(request.user) || breaks_lines(request.password)) {
        return "the user or the password holds a line break or NUL";
    }
    if (request.recipients.empty()) {
        return "there is no recipient";
    }
    if (breaks_lines(request.sender) || !is_bare_address(request.sender)) {
        return "the sender is no bare address";
    }
    for (const std::string& recipient : request.recipients) {
        if (recipient.empty() || breaks_lines(recipient) || !is_bare_address(recipient)) {
            return "a recipient is no bare address";
        }
    }
    if (!are_header_lines(request.headers, false)) {
        return "a header is no line of its own";
    }
    if (!is_part(request.body)) {
        return "a header of a part is no line of its own";
    }
    return {};
}

bool needs_utf8(const SmtpRequest& request)
{
    return !is_ascii(request.sender) ||
           !std::all_of(request.recipients.begin(), request.recipients.end(), is_ascii) ||
           !std::all_of(request.headers.begin(), request.headers.end(), is_ascii) ||
           !is_ascii_part(request.body);
}

} // namespace sagabox::transport
