#include "transport/smtp_reply.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace sagabox::transport {

namespace {

/// A reply's text beyond this says nothing more to a person.
constexpr std::size_t longest_text = 2000;

std::string_view without_break(std::string_view line)
{
    while (line.ends_with('\n') || line.ends_with('\r') || line.ends_with(' ')) {
        line.remove_suffix(1);
    }
    return line;
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace

SmtpReplyReader::Taken SmtpReplyReader::take(std::string_view line)
{
    line = without_break(line);
    const bool has_code =
        line.size() >= 3 && std::all_of(line.begin(), line.begin() + 3, is_digit) && line[0] != '0';
    const char separator = line.size() > 3 ? line[3] : ' ';
    if (!has_code || (separator != ' ' && separator != '-')) {
        return Taken::garbage;
    }
    if (reply_.code != 0) {
        forget();
    }
    if (line.size() > 4 && text_.size() < longest_text) {
        text_.append(text_.empty() ? "" : " ").append(line.substr(4, longest_text));
    }
    if (separator == '-') {
        return Taken::more;
    }
    reply_.code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
    reply_.text = std::exchange(text_, {});
    return Taken::whole;
}

void SmtpReplyReader::forget()
{
    reply_ = SmtpReply();
    text_.clear();
}

void SmtpOffers::take(std::string_view line)
{
    if (line.size() < 4) {
        return;
    }
    std::string word;
    for (const char c : without_break(line.substr(4))) {
        if (c == ' ') {
            break;
        }
        word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    size = size || word == "SIZE";
    utf8 = utf8 || word == "SMTPUTF8";
}

} // namespace sagabox::transport
