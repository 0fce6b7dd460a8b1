#include "json/regexp.hpp"

#include "json/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <re2/re2.h>

namespace sagabox::json {

namespace {

constexpr int deepest_group = 200;

/// The categories that RE2 has tables for: all but the unassigned code points.
constexpr std::string_view assigned = "\\pL\\pM\\pN\\pP\\pS\\pZ\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}";

RE2::Options quiet()
{
    RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    return options;
}

void append_code_point(std::string& out, char32_t c)
{
    constexpr std::string_view hex = "0123456789abcdef";
    out += "\\x{";
    for (int shift = 20; shift >= 0; shift -= 4) {
        out += hex[(c >> shift) & 0x0F];
    }
    out += '}';
}

/// The unassigned code points as ranges of a character class, found out from RE2 itself so that
/// they are the exact complement of its own tables.
const std::string& unassigned()
{
    static const std::string ranges = [] {
        std::string every;
        for (char32_t c = 0; c <= 0x10FFFF; ++c) {
            if (c < 0xD800 || c > 0xDFFF) {
                append_utf8(every, c);
            }
        }
        const RE2 run("([^" + std::string(assigned) + "]+)");
        std::string out;
        re2::StringPiece rest(every);
        re2::StringPiece found;
        while (RE2::FindAndConsume(&rest, run, &found)) {
            const std::string_view bytes(found.data(), found.size());
            std::size_t last = bytes.size() - 1;
            while ((static_cast<unsigned char>(bytes[last]) & 0xC0) == 0x80) {
                --last;
            }
            append_code_point(out, decode_utf8(bytes, 0)->value);
            out += '-';
            append_code_point(out, decode_utf8(bytes, last)->value);
        }
        return out;
    }();
    return ranges;
}

/// Rewrites an I-Regexp in RE2's syntax, which reads much more as special than the RFC does. Every
/// literal is written as a number, so that nothing can be taken for one of RE2's extensions.
class Translation {
public:
    explicit Translation(std::string_view pattern) : pattern_(pattern) {}

    std::optional<std::string> run()
    {
        if (!alternatives(0) || at_ != pattern_.size()) {
            return std::nullopt;
        }
        return std::move(out_);
    }

private:
    [[nodiscard]] char peek() const { return at_ < pattern_.size() ? pattern_[at_] : '\0'; }
    [[nodiscard]] bool ended() const { return at_ == pattern_.size(); }

    bool take(char c)
    {
        if (ended() || pattern_[at_] != c) {
            return false;
        }
        ++at_;
        return true;
    }

    bool alternatives(int depth)
    {
        if (depth > deepest_group) {
            return false;
        }
        do {
            while (!ended() && peek() != '|' && peek() != ')') {
                if (!atom(depth) || !quantifier()) {
                    return false;
                }
            }
            if (peek() == '|') {
                out_ += '|';
            }
        } while (take('|'));
        return true;
    }

    bool atom(int depth)
    {
        switch (peek()) {
        case '(':
            ++at_;
            out_ += "(?:";
            if (!alternatives(depth + 1) || !take(')')) {
                return false;
            }
            out_ += ')';
            return true;
        case '.':
            ++at_;
            out_ += "[^\\n\\r]";
            return true;
        case '^':
            ++at_;
            out_ += "\\A";
            return true;
        case '$':
            ++at_;
            out_ += "\\z";
            return true;
        case '[':
            return character_class();
        case '\\':
            return escape_outside_class();
        default:
            if (std::string_view("*+?{}]").find(peek()) != std::string_view::npos) {
                return false;
            }
            return literal();
        }
    }

    bool literal()
    {
        const std::optional<CodePoint> c = decode_utf8(pattern_, at_);
        if (!c) {
            return false;
        }
        at_ += c->length;
        append_code_point(out_, c->value);
        return true;
    }

    bool quantifier()
    {
        if (take('*')) {
            out_ += '*';
        } else if (take('+')) {
            out_ += '+';
        } else if (take('?')) {
            out_ += '?';
        } else if (take('{')) {
            return range_quantifier();
        }
        return true;
    }

    bool range_quantifier()
    {
        out_ += '{';
        if (!count()) {
            return false;
        }
        if (take(',')) {
            out_ += ',';
            if (peek() != '}' && !count()) {
                return false;
            }
        }
        out_ += '}';
        return take('}');
    }

    bool count()
    {
        const std::size_t end =
            std::min(pattern_.find_first_not_of("0123456789", at_), pattern_.size());
        if (end == at_) {
            return false;
        }
        // RE2 takes a count with a leading zero for literal text.
        const std::size_t significant = std::min(pattern_.find_first_not_of('0', at_), end - 1);
        out_ += pattern_.substr(significant, end - significant);
        at_ = end;
        return true;
    }

    bool escape_outside_class()
    {
        if (pattern_.substr(at_).starts_with("\\p") || pattern_.substr(at_).starts_with("\\P")) {
            out_ += '[';
            const bool known = category();
            out_ += ']';
            return known;
        }
        const std::optional<char32_t> c = single_escape();
        if (c) {
            append_code_point(out_, *c);
        }
        return c.has_value();
    }

    std::optional<char32_t> single_escape()
    {
        ++at_;
        const char c = peek();
        if (ended() || std::string_view("()*+-.?[\\]^nrt{|}").find(c) == std::string_view::npos) {
            return std::nullopt;
        }
        ++at_;
        switch (c) {
        case 'n':
            return U'\n';
        case 'r':
            return U'\r';
        case 't':
            return U'\t';
        default:
            return static_cast<char32_t>(c);
        }
    }

    /// Reads `\p{..}` or `\P{..}` and writes it as items of a class.
    bool category()
    {
        constexpr std::array<std::string_view, 7> known = {"Llmotu", "Mcen",  "Ndlo", "Pcdefios",
                                                           "Zlps",   "Sckmo", "Ccfno"};
        const bool complement = pattern_[at_ + 1] == 'P';
        at_ += 2;
        if (!take('{')) {
            return false;
        }
        const std::size_t end = pattern_.find('}', at_);
        if (end == std::string_view::npos) {
            return false;
        }
        const std::string_view name = pattern_.substr(at_, end - at_);
        at_ = end + 1;
        const auto family = std::find_if(known.begin(), known.end(), [name](std::string_view f) {
            return name.starts_with(f.front());
        });
        if (family == known.end() || name.size() > 2 ||
            (name.size() == 2 && family->substr(1).find(name[1]) == std::string_view::npos)) {
            return false;
        }
        append_category(name, complement);
        return true;
    }

    void append_category(std::string_view name, bool complement)
    {
        // RE2 has no table of the unassigned code points, which both of these include.
        if (name == "C") {
            out_ += complement ? "\\pL\\pM\\pN\\pP\\pS\\pZ" : "\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}";
            out_ += complement ? "" : unassigned();
        } else if (name == "Cn") {
            out_ += complement ? assigned : std::string_view(unassigned());
        } else {
            out_ += complement ? "\\P{" : "\\p{";
            out_ += name;
            out_ += '}';
        }
    }

    bool character_class()
    {
        ++at_;
        out_ += '[';
        if (take('^')) {
            out_ += '^';
        }
        const std::size_t first = at_;
        while (!ended() && peek() != ']') {
            if (peek() == '-') {
                ++at_;
                // A bare hyphen stands for itself at either end of the class only.
                if (at_ - 1 != first && peek() != ']') {
                    return false;
                }
                append_code_point(out_, U'-');
            } else if (!class_item()) {
                return false;
            }
        }
        if (at_ == first) {
            return false;
        }
        out_ += ']';
        return take(']');
    }

    bool class_item()
    {
        if (pattern_.substr(at_).starts_with("\\p") || pattern_.substr(at_).starts_with("\\P")) {
            return category();
        }
        const std::optional<char32_t> low = class_character();
        if (!low) {
            return false;
        }
        append_code_point(out_, *low);
        const bool range = peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']';
        if (!range) {
            return true;
        }
        ++at_;
        const std::optional<char32_t> high = class_character();
        if (!high) {
            return false;
        }
        out_ += '-';
        append_code_point(out_, *high);
        return true;
    }

    std::optional<char32_t> class_character()
    {
        if (peek() == '\\') {
            return single_escape();
        }
        if (peek() == '[' || peek() == '-') {
            return std::nullopt;
        }
        const std::optional<CodePoint> c = decode_utf8(pattern_, at_);
        if (!c) {
            return std::nullopt;
        }
        at_ += c->length;
        return c->value;
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
    std::string out_;
};

} // namespace

Regexp::Regexp(std::shared_ptr<const re2::RE2> automaton) : automaton_(std::move(automaton)) {}

std::optional<Regexp> Regexp::compile(std::string_view pattern)
{
    const std::optional<std::string> translated = Translation(pattern).run();
    if (!translated) {
        return std::nullopt;
    }
    auto automaton = std::make_shared<const RE2>(*translated, quiet());
    if (!automaton->ok()) {
        return std::nullopt;
    }
    return Regexp(std::move(automaton));
}

bool Regexp::matches_all_of(std::string_view subject) const
{
    return RE2::FullMatch(re2::StringPiece(subject.data(), subject.size()), *automaton_);
}

bool Regexp::matches_within(std::string_view subject) const
{
    return RE2::PartialMatch(re2::StringPiece(subject.data(), subject.size()), *automaton_);
}

} // namespace sagabox::json
