#include "mail/compose.hpp"

#include "mail/address.hpp"
#include "mail/header.hpp"
#include "mail/text.hpp"
#include "tests/fuzz/mail_reader.hpp"
#include "tests/fuzz/target.hpp"
#include "transport/mime_stream.hpp"
#include "transport/smtp_syntax.hpp"

#include <algorithm>

namespace sagabox::fuzz {

namespace {

mail::Message make_message(const std::vector<std::string_view>& parts)
{
    mail::Message message;
    message.id = 7;
    message.message_id = "<7.sagabox@shop.example>";
    message.received_at = DbTime{std::chrono::seconds{1'796'108'400}};
    message.to = {std::string(parts[1]), "b@shop.example"};
    message.reply_to = std::string(parts[2]);
    message.subject = std::string(parts[3]);
    message.document_type = std::string(parts[3]);
    message.text = std::string(parts[6]);
    message.attachments.push_back(
        {std::string(parts[4]), std::string(parts[5]), std::string(parts[6])});
    return message;
}

void check_address(std::string_view text)
{
    const auto address = mail::read_address(text);
    if (!address) {
        return;
    }
    require(!breaks_lines(address->name) && !breaks_lines(address->bare), "an address is one line");
    const auto again = mail::read_address(address->bare);
    require(again && again->name.empty() && again->bare == address->bare,
            "a bare address stays itself");
    require(mail::contains({address->bare}, address->bare), "an address is its own mailbox");
}

void check_wire(const mail::Composed& composed)
{
    transport::MimeStream stream(composed.headers, composed.body);
    const std::size_t promised = stream.size();
    std::string wire;
    while (stream.read(wire)) {
    }
    require(wire.size() == promised, "a message has the size that was told");
    require(wire.ends_with("\r\n"), "a message ends with a line break");
    const bool ascii = std::all_of(composed.headers.begin(), composed.headers.end(),
                                   [](const std::string& line) { return mail::is_ascii(line); });
    require(!ascii || mail::is_ascii(wire), "a message is ASCII where its headers are");
    for (std::size_t at = 0; at < wire.size();) {
        const std::size_t end = wire.find("\r\n", at);
        require(end != std::string::npos && end - at <= 998, "a line has a bound");
        require(!breaks_lines(std::string_view(wire).substr(at, end - at)),
                "CR and LF stand only together");
        at = end + 2;
    }
    const std::string dotted = transport::dots_doubled(wire);
    require(dotted.find("\r\n.\r\n") == std::string::npos, "no message ends before its end");
}

} // namespace

void mail(std::string_view input)
{
    const auto parts = pieces(input, 7);
    for (std::size_t i = 0; i < 3; ++i) {
        check_address(parts[i]);
    }
    // Intake takes no address that is longer, and whatever line it makes is for the transport to
    // refuse.
    constexpr std::size_t longest_address = 320;
    if (std::any_of(parts.begin(), parts.begin() + 3,
                    [](std::string_view address) { return address.size() > longest_address; })) {
        return;
    }
    const auto composed = mail::compose(make_message(parts), parts[0], {"b@shop.example"});
    if (!composed) {
        require(!composed.error().text().empty(), "a message that is not composed says why");
        return;
    }
    for (const std::string& line : composed->headers) {
        require(!breaks_lines(line), "a header's line is one line");
        require(line.find_first_not_of(" \t") != std::string::npos,
                "no line of a header looks like its end");
    }
    require(!mail::contains(composed->recipients, "b@shop.example"),
            "who is left out gets no message");
    if (const auto subject = read_header(composed->headers, "Subject")) {
        require(decoded(*subject) == parts[3], "a reader sees the subject that was given");
    }
    check_wire(*composed);
}

} // namespace sagabox::fuzz
