#include "transport/smtp_reply.hpp"

#include "tests/fuzz/target.hpp"

#include <algorithm>

namespace sagabox::fuzz {

void smtp_reply(std::string_view input)
{
    using Taken = transport::SmtpReplyReader::Taken;
    transport::SmtpReplyReader reader;
    transport::SmtpReplyReader with_breaks;
    transport::SmtpOffers offers;
    while (!input.empty()) {
        const std::size_t end = std::min(input.find('\n'), input.size());
        const std::string_view line = input.substr(0, end);
        input.remove_prefix(std::min(end + 1, input.size()));

        const transport::SmtpOffers before = offers;
        offers.take(line);
        require((!before.size || offers.size) && (!before.utf8 || offers.utf8),
                "an offer is not taken back");

        const Taken taken = reader.take(line);
        require(with_breaks.take(std::string(line) + "\r\n") == taken,
                "a line break is no part of a line");
        switch (taken) {
        case Taken::whole:
            require(reader.reply().code >= 100 && reader.reply().code <= 999,
                    "a reply has a code of three digits");
            require(line.substr(0, 3) == std::to_string(reader.reply().code),
                    "the last line names the code");
            require(with_breaks.reply().code == reader.reply().code &&
                        with_breaks.reply().text == reader.reply().text,
                    "a line break changes no reply");
            break;
        case Taken::more:
            require(reader.reply().code == 0, "no code is told before a reply is whole");
            break;
        case Taken::garbage:
            break;
        }
        require(reader.reply().text.size() <= 4'001, "a reply's text has a bound");
    }
    reader.forget();
    require(reader.reply().code == 0 && reader.reply().text.empty(), "what is forgotten is gone");
}

} // namespace sagabox::fuzz
