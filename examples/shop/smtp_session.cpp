#include "shop/smtp_session.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace shop {
namespace {

bool begins(std::string_view line, std::string_view verb)
{
    return line.size() >= verb.size() &&
           std::equal(verb.begin(), verb.end(), line.begin(), [](char a, char b) {
               return a == std::toupper(static_cast<unsigned char>(b));
           });
}

/// The address between `<` and `>`; nothing where there are none.
std::optional<std::string> path_of(std::string_view argument)
{
    const std::size_t open = argument.find('<');
    const std::size_t close = argument.find('>', open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
        return std::nullopt;
    }
    return std::string(argument.substr(open + 1, close - open - 1));
}

/// RFC 5321 section 4.5.2: a line that began with a dot was sent with two.
std::string without_stuffing(std::string_view data)
{
    std::string out;
    out.reserve(data.size());
    bool line_begins = true;
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (line_begins && data[i] == '.') {
            line_begins = false;
            continue;
        }
        line_begins = data[i] == '\n' && i > 0 && data[i - 1] == '\r';
        out += data[i];
    }
    return out;
}

} // namespace

std::string SmtpSession::received(std::string_view bytes)
{
    input_ += bytes;
    std::string answers;
    while (!over_) {
        if (in_data_) {
            if (!take_data(answers)) {
                break;
            }
            continue;
        }
        const std::size_t end = input_.find("\r\n");
        if (end == std::string::npos) {
            if (input_.size() > longest_line) {
                over_ = true;
                answers += "500 the line is too long\r\n";
            }
            break;
        }
        const std::string line = input_.substr(0, end);
        input_.erase(0, end + 2);
        answers += command(line);
    }
    return answers;
}

std::string SmtpSession::command(std::string_view line)
{
    if (begins(line, "EHLO")) {
        forget();
        return "250-demo\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE " +
               std::to_string(largest_message) + "\r\n";
    }
    if (begins(line, "HELO")) {
        forget();
        return "250 demo\r\n";
    }
    if (begins(line, "MAIL FROM:")) {
        return mail_from(line.substr(10));
    }
    if (begins(line, "RCPT TO:")) {
        return rcpt_to(line.substr(8));
    }
    if (begins(line, "DATA")) {
        if (envelope_.to.empty()) {
            return "503 name a recipient first\r\n";
        }
        in_data_ = true;
        return "354 end with a dot\r\n";
    }
    if (begins(line, "RSET") || begins(line, "NOOP")) {
        if (begins(line, "RSET")) {
            forget();
        }
        return "250 ok\r\n";
    }
    if (begins(line, "QUIT")) {
        over_ = true;
        return "221 goodbye\r\n";
    }
    return "502 this demo does not know the command\r\n";
}

std::string SmtpSession::mail_from(std::string_view argument)
{
    std::optional<std::string> path = path_of(argument);
    if (!path) {
        return "501 the sender is no address\r\n";
    }
    forget();
    envelope_.from = std::move(*path);
    has_sender_ = true;
    return "250 ok\r\n";
}

std::string SmtpSession::rcpt_to(std::string_view argument)
{
    std::optional<std::string> path = path_of(argument);
    if (!has_sender_) {
        return "503 name the sender first\r\n";
    }
    if (!path || path->empty()) {
        return "501 the recipient is no address\r\n";
    }
    envelope_.to.push_back(std::move(*path));
    return "250 ok\r\n";
}

/// False while the message has not come whole.
bool SmtpSession::take_data(std::string& answers)
{
    static constexpr std::string_view end_of_data = "\r\n.\r\n";
    // An empty message is its final dot alone.
    const bool empty = input_.starts_with(".\r\n");
    const std::size_t end = empty ? 0 : input_.find(end_of_data, searched_);
    if (end == std::string::npos) {
        searched_ = input_.size() - std::min(input_.size(), end_of_data.size() - 1);
        if (input_.size() > largest_message) {
            over_ = true;
            answers += "552 the message is too large\r\n";
        }
        return false;
    }
    const std::size_t size = empty ? 0 : end + 2;
    const SmtpReceiver::Answer answer =
        take_(envelope_, without_stuffing(std::string_view(input_).substr(0, size)));
    input_.erase(0, size + 3);
    searched_ = 0;
    in_data_ = false;
    forget();
    delay_ += answer.delay;
    answers += answer.taken ? "250 2.0.0 taken\r\n" : "451 4.3.0 the demo refuses it for now\r\n";
    return true;
}

void SmtpSession::forget()
{
    envelope_ = {};
    has_sender_ = false;
}

} // namespace shop
