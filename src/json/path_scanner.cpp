#include "json/path_scanner.hpp"

#include "json/decimal.hpp"
#include "json/path_query.hpp"
#include "json/unicode.hpp"

#include <algorithm>
#include <charconv>

namespace sagabox::json::query {

namespace {

constexpr std::int64_t largest_integer = (std::int64_t{1} << 53) - 1;

constexpr std::string_view digits = "0123456789";

} // namespace

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

bool starts_name(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

void Scanner::expected(std::string what) const
{
    expected_at(at_, std::move(what));
}

void Scanner::expected_at(std::size_t at, std::string what)
{
    throw SyntaxError{at, std::move(what)};
}

void Scanner::check_encoding() const
{
    for (std::size_t i = 0; i < text_.size();) {
        const std::optional<CodePoint> c = decode_utf8(text_, i);
        if (!c) {
            expected_at(i, "valid UTF-8");
        }
        i += c->length;
    }
}

bool Scanner::take(char c)
{
    if (ended() || text_[at_] != c) {
        return false;
    }
    ++at_;
    return true;
}

bool Scanner::take(std::string_view word)
{
    if (!text_.substr(at_).starts_with(word)) {
        return false;
    }
    at_ += word.size();
    return true;
}

void Scanner::demand(char c)
{
    if (!take(c)) {
        expected(std::string("'") + c + "'");
    }
}

void Scanner::skip_space()
{
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
        ++at_;
    }
}

std::string Scanner::shorthand_name()
{
    const std::size_t start = at_;
    while (starts_name(peek()) || is_digit(peek())) {
        ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
}

std::string Scanner::string_literal()
{
    const char quote = text_[at_++];
    std::string out;
    while (!take(quote)) {
        if (ended()) {
            expected("the end of the string");
        }
        const char c = text_[at_];
        if (static_cast<unsigned char>(c) < 0x20) {
            expected("control characters to be escaped");
        }
        ++at_;
        if (c == '\\') {
            escape(out, quote);
        } else {
            out += c;
        }
    }
    return out;
}

void Scanner::escape(std::string& out, char quote)
{
    constexpr std::string_view letters = "bfnrt/\\";
    constexpr std::string_view meanings = "\b\f\n\r\t/\\";
    if (take('u')) {
        const std::optional<char32_t> c = read_unicode_escape(text_, at_);
        if (!c) {
            expected("four hexadecimal digits that are no lone surrogate");
        }
        append_utf8(out, *c);
    } else if (take(quote)) {
        out += quote;
    } else if (const std::size_t letter = letters.find(peek());
               !ended() && letter != letters.npos) {
        out += meanings[letter];
        ++at_;
    } else {
        expected("an escape that JSONPath knows");
    }
}

Value Scanner::number_literal()
{
    const std::size_t end = std::min(text_.find_first_not_of("0123456789+-.eE", at_), text_.size());
    std::optional<std::string> canonical = canonical_number(text_.substr(at_, end - at_));
    if (!canonical) {
        expected("a number within the range of numeric");
    }
    at_ = end;
    return Number{std::move(*canonical)};
}

std::optional<std::int64_t> Scanner::optional_integer()
{
    if (peek() != '-' && !is_digit(peek())) {
        return std::nullopt;
    }
    const std::size_t start = at_;
    const bool negative = take('-');
    const std::size_t first_digit = at_;
    at_ = std::min(text_.find_first_not_of(digits, at_), text_.size());
    const std::string_view written = text_.substr(first_digit, at_ - first_digit);
    if (written.empty() || (written.front() == '0' && (negative || written.size() > 1))) {
        expected_at(start, "an integer without leading zeros");
    }
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(written.data(), written.data() + written.size(), value);
    if (error != std::errc() || value > largest_integer) {
        expected_at(start, "an integer within 2^53 - 1 of zero");
    }
    return negative ? -value : value;
}

} // namespace sagabox::json::query
