#include "config/scan.hpp"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

/// Deeper than any configuration, and far from the end of the parser's stack.
constexpr std::size_t max_nesting = 64;

struct Rune {
    char32_t code;
    std::size_t length;
};

/// The UTF-8 character at the start of `text`; nothing where there is none.
std::optional<Rune> decode(std::string_view text)
{
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned char>(text[i]);
    };
    const unsigned char first = byte(0);
    if (first < 0x80) {
        return Rune{first, 1};
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) {
        return std::nullopt;
    }
    char32_t code = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return std::nullopt;
        }
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < least[length] || surrogate || code > 0x10FFFF) {
        return std::nullopt;
    }
    return Rune{code, length};
}

std::string encode_beyond_bmp(char32_t code)
{
    std::string out;
    out += static_cast<char>(0xF0U | (code >> 18U));
    out += static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
    return out;
}

std::optional<char32_t> hex4(std::string_view digits)
{
    if (digits.size() < 4) {
        return std::nullopt;
    }
    char32_t value = 0;
    for (const char c : digits.substr(0, 4)) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return std::nullopt;
        }
        value = value * 16 + static_cast<char32_t>(digit);
    }
    return value;
}

class Scanner {
public:
    explicit Scanner(std::string_view text) : in_(text) {}

    Scanned run()
    {
        if (in_.starts_with("\xEF\xBB\xBF")) {
            at_ = 3;
        }
        check_encoding();
        if (!out_.faults.empty()) {
            return std::move(out_);
        }
        while (at_ < in_.size()) {
            step();
        }
        for (const Open& open : open_) {
            fault(open.line, fmt::format("this '{}' is never closed; add the missing '{}'",
                                         open.bracket, open.bracket == '{' ? '}' : ']'));
        }
        return std::move(out_);
    }

private:
    struct Open {
        char bracket;
        int line;
    };

    void fault(int line, std::string text) { out_.faults.push_back({line, std::move(text)}); }

    void check_encoding()
    {
        int line = 1;
        for (std::size_t i = at_; i < in_.size();) {
            const auto rune = decode(in_.substr(i));
            if (!rune) {
                return fault(line, "this line is no valid UTF-8; save the file as UTF-8");
            }
            if (rune->code == 0) {
                return fault(line, "this line holds a NUL character; is this a text file?");
            }
            line += rune->code == '\n' ? 1 : 0;
            i += rune->length;
        }
    }

    bool looking_at(std::string_view what) const { return in_.substr(at_).starts_with(what); }

    void copy(std::size_t count)
    {
        for (const char c : in_.substr(at_, count)) {
            line_ += c == '\n' ? 1 : 0;
        }
        out_.text += in_.substr(at_, count);
        at_ = std::min(at_ + count, in_.size());
    }

    void step()
    {
        const char c = in_[at_];
        if (at_key()) {
            check_key();
        }
        if (looking_at("\"\"\"")) {
            raw_string();
        } else if (c == '"') {
            quoted_string();
        } else if (c == '#' || looking_at("//")) {
            // Comments are of no use to the parser and may hold anything.
            at_ = std::min(in_.find('\n', at_), in_.size());
            return;
        } else if (looking_at("${")) {
            reference();
        } else if (c == '{' || c == '[') {
            open();
        } else if (c == '}' || c == ']') {
            close();
        } else if (c == 'i' && at_key() && include()) {
            return;
        } else {
            copy(1);
        }
        const bool blank = c == ' ' || c == '\t' || c == '\r';
        const bool value_follows = c == '\n' && (last_ == '=' || last_ == ':');
        last_ = blank || value_follows ? last_ : c;
    }

    /// Whether a key, and so an include, may begin here.
    bool at_key() const
    {
        return (last_ == '\n' || last_ == '{' || last_ == ',') &&
               (open_.empty() || open_.back().bracket == '{');
    }

    /// Looks at the key that begins here, if one does. The parser, too, refuses a path with an
    /// empty element, but where that stands in a key it reads through a null pointer on its way to
    /// say so.
    void check_key()
    {
        constexpr std::string_view blanks = " \t\r\f\v\x1c\x1d\x1e\x1f";
        bool filled = false; ///< the element under way holds anything
        bool dotted = false;
        std::size_t at = at_;
        for (; at < in_.size() && !ends_key(at); ++at) {
            if (in_[at] == '"') {
                at = std::min(end_of_quotes(at), in_.size()) - 1;
                filled = true;
            } else if (in_[at] != '.') {
                filled = filled || blanks.find(in_[at]) == std::string_view::npos;
            } else if (filled) {
                filled = false;
                dotted = true;
            } else {
                return empty_element();
            }
        }
        if (dotted && !filled) {
            empty_element();
        }
    }

    void empty_element()
    {
        fault(line_, "this key has a '.' with nothing before or behind it; remove it, or put the "
                     "key in quotes");
    }

    bool ends_key(std::size_t at) const
    {
        constexpr std::string_view ends = "\n:=+{}[],#$`^?!@*&\\";
        return ends.find(in_[at]) != std::string_view::npos || in_.substr(at).starts_with("//");
    }

    /// Behind the closing quotes of the string that begins at `at`.
    std::size_t end_of_quotes(std::size_t at) const
    {
        constexpr std::string_view raw = "\"\"\"";
        if (in_.substr(at).starts_with(raw)) {
            const std::size_t end = in_.find(raw, at + raw.size());
            return end == std::string_view::npos ? in_.size() : end + raw.size();
        }
        for (++at; at < in_.size() && in_[at] != '"' && in_[at] != '\n'; ++at) {
            at += in_[at] == '\\' ? 1U : 0U;
        }
        return at + 1;
    }

    /// Takes an include statement out; false where this is none.
    bool include()
    {
        constexpr std::string_view word = "include";
        if (!looking_at(word)) {
            return false;
        }
        const auto skip_blanks = [this](std::size_t from) {
            return std::min(in_.find_first_not_of(" \t", from), in_.size());
        };
        std::size_t at = skip_blanks(at_ + word.size());
        int parentheses = 0;
        for (const std::string_view wrapper : {"required(", "file("}) {
            if (in_.substr(at).starts_with(wrapper)) {
                at = skip_blanks(at + wrapper.size());
                ++parentheses;
            }
        }
        const std::string_view rest = in_.substr(at);
        if (rest.starts_with("url(") || rest.starts_with("classpath(")) {
            fault(line_, "only files can be included; fetch it and include the copy");
        }
        if (!rest.starts_with('"')) {
            return false;
        }
        const std::size_t end = in_.find_first_of("\"\n", at + 1);
        if (end == std::string_view::npos || in_[end] == '\n') {
            return false; // the string's own check names the fault
        }
        out_.includes.push_back(
            {out_.text.size(), line_, std::string(in_.substr(at + 1, end - at - 1))});
        at_ = end + 1;
        for (; parentheses > 0; --parentheses) {
            at_ = skip_blanks(at_);
            if (at_ >= in_.size() || in_[at_] != ')') {
                fault(line_, "this include lacks its ')'");
                break;
            }
            ++at_;
        }
        last_ = '"';
        return true;
    }

    void open()
    {
        open_.push_back({in_[at_], line_});
        if (open_.size() > max_nesting) {
            fault(line_, fmt::format("nested more than {} deep", max_nesting));
            at_ = in_.size();
            open_.clear();
            return;
        }
        copy(1);
    }

    void close()
    {
        const char bracket = in_[at_];
        const char wanted = bracket == '}' ? '{' : '[';
        if (open_.empty()) {
            fault(line_, fmt::format("this '{}' closes nothing; remove it, or open its '{}'",
                                     bracket, wanted));
        } else {
            if (open_.back().bracket != wanted) {
                fault(line_, fmt::format("this '{}' closes the '{}' of line {}", bracket,
                                         open_.back().bracket, open_.back().line));
            }
            open_.pop_back();
        }
        copy(1);
    }

    void reference()
    {
        const std::size_t end = in_.find_first_of("}\n", at_);
        if (end == std::string_view::npos || in_[end] == '\n') {
            fault(line_, "this '${' is never closed; add the missing '}'");
            copy(2);
            return;
        }
        std::string_view path = in_.substr(at_ + 2, end - at_ - 2);
        if (path.starts_with('?')) {
            path.remove_prefix(1);
        }
        out_.references.push_back({std::string(path), line_});
        copy(end + 1 - at_);
    }

    void raw_string()
    {
        std::size_t end = in_.find("\"\"\"", at_ + 3);
        if (end == std::string_view::npos) {
            fault(line_, "this \"\"\" is never closed; add the missing \"\"\"");
            open_.clear();
            at_ = in_.size();
            return;
        }
        end += 3;
        while (end < in_.size() && in_[end] == '"') {
            ++end; // further quotes belong to the text
        }
        copy(end - at_);
    }

    void quoted_string()
    {
        const std::size_t start = out_.text.size();
        ++at_;
        in_quotes_ = false;
        while (at_ < in_.size() && in_[at_] != '"' && in_[at_] != '\n') {
            if (in_[at_] == '\\') {
                escape();
            } else {
                character();
            }
        }
        if (at_ >= in_.size() || in_[at_] == '\n') {
            fault(line_,
                  "this line ends inside a string; close its '\"', or use \"\"\" for text of "
                  "several lines");
            return;
        }
        ++at_;
        if (in_quotes_ || out_.text.size() == start) {
            enter_quotes();
            out_.text += '"';
        }
    }

    void enter_quotes()
    {
        if (!in_quotes_) {
            out_.text += '"';
            in_quotes_ = true;
        }
    }

    void character()
    {
        const auto rune = decode(in_.substr(at_));
        if (rune->code >= 0x10000) {
            outside_quotes(rune->code);
        } else {
            enter_quotes();
            if (rune->code < 0x20 || rune->code >= 0x7F) {
                out_.text += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(rune->code));
            } else {
                out_.text += in_[at_];
            }
        }
        at_ += rune->length;
    }

    void escape()
    {
        const auto unit = looking_at("\\u") ? hex4(in_.substr(at_ + 2)) : std::nullopt;
        if (!unit || *unit < 0xD800 || *unit > 0xDFFF) {
            enter_quotes();
            return copy(unit ? 6 : 2);
        }
        const std::string_view rest = in_.substr(at_ + 6);
        const auto second = rest.starts_with("\\u") ? hex4(rest.substr(2)) : std::nullopt;
        if (*unit > 0xDBFF || !second || *second < 0xDC00 || *second > 0xDFFF) {
            fault(line_, "a string holds half of a surrogate pair; write the character itself");
            at_ += 6;
            return;
        }
        outside_quotes(0x10000 + ((*unit - 0xD800) << 10U) + (*second - 0xDC00));
        at_ += 12;
    }

    /// The parser has no form for such a character inside a quoted string, but takes it unquoted,
    /// and joins neighbours (unless one of them is empty).
    void outside_quotes(char32_t code)
    {
        if (in_quotes_) {
            out_.text += '"';
            in_quotes_ = false;
        }
        out_.text += encode_beyond_bmp(code);
    }

    std::string_view in_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool in_quotes_ = false;
    char last_ = '\n'; ///< the last character that was no blank
    std::vector<Open> open_;
    Scanned out_;
};

} // namespace

Scanned scan(std::string_view text)
{
    return Scanner(text).run();
}

} // namespace sagabox::config
