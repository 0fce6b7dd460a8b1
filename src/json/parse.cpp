#include "json/decimal.hpp"
#include "json/unicode.hpp"
#include "json/value.hpp"

#include <array>

namespace sagabox::json {

namespace {

/// Bytes that stand for themselves in a string: ASCII but control characters, `"` and `\`.
constexpr std::array<bool, 256> is_plain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t c = 0x20; c < 0x80; ++c) {
        plain[c] = c != '"' && c != '\\';
    }
    return plain;
}();

/// Reads by recursive descent, whose depth `max_depth` bounds. Written out by hand because the
/// library's parser turns numbers into doubles and refuses those that a double cannot hold.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<Value> document()
    {
        Value value;
        if (!read_value(value, 0)) {
            return failure();
        }
        skip_space();
        if (at_ != text_.size()) {
            expected("the end of the document");
            return failure();
        }
        return value;
    }

private:
    [[nodiscard]] tl::unexpected<Fault> failure() const
    {
        return fail(Fault::Kind::bad_input, "not a JSON document that can be stored: expected " +
                                                std::string(expected_) + " at byte " +
                                                std::to_string(at_ + 1));
    }

    bool expected(std::string_view what)
    {
        expected_ = what;
        return false;
    }

    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    bool take(char c)
    {
        if (peek() != c) {
            return false;
        }
        ++at_;
        return true;
    }

    void skip_space()
    {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
                return;
            }
            ++at_;
        }
    }

    bool read_value(Value& value, std::size_t depth)
    {
        skip_space();
        switch (peek()) {
        case '{':
            return read_object(value, depth + 1);
        case '[':
            return read_array(value, depth + 1);
        case '"': {
            std::string text;
            if (!read_string(text)) {
                return false;
            }
            value = Value(std::move(text));
            return true;
        }
        case 't':
            return read_word("true", value, true);
        case 'f':
            return read_word("false", value, false);
        case 'n':
            return read_word("null", value, Null{});
        default:
            return read_number(value);
        }
    }

    bool read_word(std::string_view word, Value& value, Value meaning)
    {
        if (!text_.substr(at_).starts_with(word)) {
            return expected("a value");
        }
        at_ += word.size();
        value = std::move(meaning);
        return true;
    }

    bool read_number(Value& value)
    {
        const std::size_t end = text_.find_first_not_of("0123456789+-.eE", at_);
        const std::string_view written = text_.substr(at_, end - at_);
        if (written.empty()) {
            return expected("a value");
        }
        std::optional<std::string> digits = canonical_number(written);
        if (!digits) {
            return expected("a number within the range of numeric");
        }
        if (digits->size() > written.size()) {
            number_growth_ += digits->size() - written.size();
            if (number_growth_ > max_number_growth) {
                return expected("numbers that take less room when they are written out");
            }
        }
        at_ += written.size();
        value = Number{std::move(*digits)};
        return true;
    }

    bool read_array(Value& value, std::size_t depth)
    {
        if (depth > max_depth) {
            return expected("no deeper nesting");
        }
        ++at_;
        Array array;
        skip_space();
        if (!take(']')) {
            do {
                if (!read_value(array.emplace_back(), depth)) {
                    return false;
                }
                skip_space();
            } while (take(','));
            if (!take(']')) {
                return expected("',' or ']'");
            }
        }
        value = Value(std::move(array));
        return true;
    }

    bool read_object(Value& value, std::size_t depth)
    {
        if (depth > max_depth) {
            return expected("no deeper nesting");
        }
        ++at_;
        std::vector<Object::Member> members;
        skip_space();
        if (!take('}')) {
            do {
                Object::Member& member = members.emplace_back();
                if (!read_name(member.first) || !read_value(member.second, depth)) {
                    return false;
                }
                skip_space();
            } while (take(','));
            if (!take('}')) {
                return expected("',' or '}'");
            }
        }
        value = Value(Object::from_members(std::move(members)));
        return true;
    }

    bool read_name(std::string& name)
    {
        skip_space();
        if (peek() != '"') {
            return expected("a name in quotes");
        }
        if (!read_string(name)) {
            return false;
        }
        skip_space();
        return take(':') || expected("':'");
    }

    /// Moves past all that stands for itself and takes one byte.
    void skip_plain()
    {
        const char* at = text_.data() + at_;
        const char* const end = text_.data() + text_.size();
        while (at != end && is_plain[static_cast<unsigned char>(*at)]) {
            ++at;
        }
        at_ = static_cast<std::size_t>(at - text_.data());
    }

    bool read_string(std::string& out)
    {
        ++at_;
        std::size_t plain_from = at_;
        const auto keep_plain = [&] {
            out += text_.substr(plain_from, at_ - plain_from);
        };
        for (;;) {
            skip_plain();
            if (at_ == text_.size()) {
                return expected("the end of the string");
            }
            const unsigned char c = static_cast<unsigned char>(text_[at_]);
            if (c == '"') {
                keep_plain();
                ++at_;
                return true;
            }
            if (c == '\\') {
                keep_plain();
                ++at_;
                if (!read_escape(out)) {
                    return false;
                }
                plain_from = at_;
            } else if (c < 0x20) {
                return expected("control characters to be escaped");
            } else if (const std::optional<CodePoint> point = decode_utf8(text_, at_)) {
                at_ += point->length;
            } else {
                return expected("valid UTF-8");
            }
        }
    }

    bool read_escape(std::string& out)
    {
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (take('u')) {
            const std::optional<char32_t> point = read_unicode_escape(text_, at_);
            if (!point) {
                return expected("four hexadecimal digits that are no lone surrogate");
            }
            append_utf8(out, *point == 0 ? replacement_character : *point);
            return true;
        }
        const std::size_t letter = at_ < text_.size() ? letters.find(text_[at_]) : letters.npos;
        if (letter == letters.npos) {
            return expected("an escape that JSON knows");
        }
        out += meanings[letter];
        ++at_;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t number_growth_ = 0;
    std::string_view expected_;
};

} // namespace

Result<Value> parse(std::string_view text)
{
    return Parser(text).document();
}

} // namespace sagabox::json
