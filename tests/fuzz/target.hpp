#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::fuzz {

/// What a target promises of any input was not so.
class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Ends the input with `Broken` unless `promise` holds; `what` says what was promised.
void require(bool promise, std::string_view what);

/// The pieces of `input` between line feeds: `count` of them, the last with all the rest. Pieces
/// that are not there are empty.
[[nodiscard]] std::vector<std::string_view> pieces(std::string_view input, std::size_t count);

/// How often any of `characters` stands in `text`.
[[nodiscard]] std::size_t count_of(std::string_view text, std::string_view characters);

/// Whether `text` holds CR, LF or NUL.
[[nodiscard]] bool breaks_lines(std::string_view text);

// The targets. Each takes any bytes, returns where all its promises hold, and throws `Broken` where
// one does not.

/// One JSON document, or bytes that are to be stored as text.
void json(std::string_view input);
/// A JSONPath query; a line feed; a document.
void json_path(std::string_view input);
/// A byte that chooses the format and the time; then the header's value.
void retry_after(std::string_view input);
/// A configuration file.
void config(std::string_view input);
/// A template; a line feed; an object of values.
void body_template(std::string_view input);
void url_template(std::string_view input);
/// The payloads of an event; a line feed; a step's stored answer.
void request(std::string_view input);
/// A status; `Retry-After`; `Content-Type`; the body of an answer, a line feed between each.
void answer(std::string_view input);
/// A request to the API as it stands on the wire, less the carriage returns.
void api(std::string_view input);
/// From, to, reply-to, subject, file name, content type, text, with a line feed between each.
void mail(std::string_view input);
/// What a mail server says.
void smtp_reply(std::string_view input);

struct Target {
    std::string_view name; ///< of its corpus folder and of its program, `fuzz_<name>`
    void (*run)(std::string_view input);
};

[[nodiscard]] const std::vector<Target>& targets();

} // namespace sagabox::fuzz
