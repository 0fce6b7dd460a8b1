#include "core/outcome_sql.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace sagabox::core {

namespace {

constexpr std::array<std::string_view, 4> known_names = {"aggregate_id", "event_id", "event_type",
                                                         "reason"};
constexpr std::array<std::string_view, 9> transaction_words = {
    "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare"};

bool starts_word(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || byte >= 0x80;
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool in_word(char c)
{
    return starts_word(c) || is_digit(c) || c == '$';
}

class Binder {
public:
    explicit Binder(std::string_view sql) : in_(sql) {}

    Result<BoundSql> run()
    {
        while (at_ < in_.size() && error_.empty()) {
            step();
        }
        if (error_.empty() && first_word_.empty() && !seen_code_) {
            error_ = "the statement is empty; leave the key out instead";
        }
        if (error_.empty() &&
            std::ranges::find(transaction_words, first_word_) != transaction_words.end()) {
            error_ = fmt::format("{} has no place here: the statement runs inside the transaction "
                                 "that ends the saga",
                                 first_word_);
        }
        if (!error_.empty()) {
            return fail(Fault::Kind::bad_input, error_);
        }
        return std::move(out_);
    }

private:
    char peek(std::size_t ahead = 0) const
    {
        return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0';
    }
    bool looking_at(std::string_view what) const { return in_.substr(at_).starts_with(what); }

    void copy(std::size_t count)
    {
        out_.text += in_.substr(at_, count);
        at_ = std::min(at_ + count, in_.size());
    }

    void step()
    {
        const char c = peek();
        if (looking_at("--")) {
            copy(std::min(in_.find('\n', at_), in_.size()) - at_);
        } else if (looking_at("/*")) {
            comment();
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
            copy(1);
        } else if (c == ';') {
            seen_end_ = true;
            copy(1);
        } else if (seen_end_) {
            error_ = "only one statement is possible; join several with WITH, or call a function";
        } else {
            code(c);
            seen_code_ = true;
        }
    }

    void code(char c)
    {
        if (c == '\'') {
            quoted('\'', false);
        } else if (c == '"') {
            quoted('"', false);
        } else if (starts_word(c)) {
            word();
        } else if (is_digit(c)) {
            // A number swallows what follows it, so that 1e5 is no word and 5$1 no parameter.
            std::size_t length = 1;
            while (is_digit(peek(length)) || starts_word(peek(length)) || peek(length) == '.') {
                ++length;
            }
            copy(length);
        } else if (c == '$') {
            dollar();
        } else if (looking_at("::") || looking_at(":=")) {
            copy(2);
        } else if (c == ':' && starts_word(peek(1))) {
            parameter();
        } else {
            copy(1);
        }
    }

    void word()
    {
        std::size_t length = 1;
        while (in_word(peek(length))) {
            ++length;
        }
        const std::string_view text = in_.substr(at_, length);
        if (!seen_code_) {
            first_word_ = text;
            std::ranges::transform(first_word_, first_word_.begin(), [](char c) {
                return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            });
        }
        copy(length);
        if ((text == "E" || text == "e") && peek() == '\'') {
            quoted('\'', true);
        }
    }

    void quoted(char quote, bool backslashes)
    {
        std::size_t end = at_ + 1;
        while (end < in_.size()) {
            if (backslashes && in_[end] == '\\') {
                end += 2;
            } else if (in_[end] == quote) {
                if (end + 1 < in_.size() && in_[end + 1] == quote) {
                    end += 2;
                } else {
                    return copy(end + 1 - at_);
                }
            } else {
                ++end;
            }
        }
        error_ = fmt::format("a {} is never closed", quote);
    }

    void comment()
    {
        std::size_t depth = 0;
        std::size_t end = at_;
        do {
            const std::string_view rest = in_.substr(end);
            if (rest.starts_with("/*")) {
                ++depth;
                end += 2;
            } else if (rest.starts_with("*/")) {
                --depth;
                end += 2;
            } else {
                ++end;
            }
        } while (depth > 0 && end < in_.size());
        if (depth > 0) {
            error_ = "a /* comment is never closed";
            return;
        }
        copy(end - at_);
    }

    void dollar()
    {
        if (is_digit(peek(1))) {
            error_ = "numbered parameters can't be used; write :aggregate_id, :event_id, "
                     ":event_type or :reason";
            return;
        }
        std::size_t length = 1;
        while (in_word(peek(length)) && peek(length) != '$') {
            ++length;
        }
        if (peek(length) != '$') {
            return copy(1);
        }
        const std::string_view tag = in_.substr(at_, length + 1);
        const std::size_t end = in_.find(tag, at_ + tag.size());
        if (end == std::string_view::npos) {
            error_ = fmt::format("the quote {} is never closed", tag);
            return;
        }
        copy(end + tag.size() - at_);
    }

    void parameter()
    {
        std::size_t length = 2;
        while (in_word(peek(length))) {
            ++length;
        }
        const std::string name(in_.substr(at_ + 1, length - 1));
        if (std::ranges::find(known_names, name) == known_names.end()) {
            error_ = fmt::format("there is no parameter :{}; use :aggregate_id, :event_id, "
                                 ":event_type or :reason",
                                 name);
            return;
        }
        auto found = std::ranges::find(out_.names, name);
        if (found == out_.names.end()) {
            out_.names.push_back(name);
            found = std::prev(out_.names.end());
        }
        out_.text += fmt::format("${}", std::distance(out_.names.begin(), found) + 1);
        at_ += length;
    }

    std::string_view in_;
    std::size_t at_ = 0;
    bool seen_code_ = false;
    bool seen_end_ = false;
    std::string first_word_;
    std::string error_;
    BoundSql out_;
};

} // namespace

Result<BoundSql> bind_names(std::string_view sql)
{
    if (sql.find('\0') != std::string_view::npos) {
        return fail(Fault::Kind::bad_input, "the statement holds a NUL character");
    }
    return Binder(sql).run();
}

} // namespace sagabox::core
