#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/value.hpp"

namespace sagabox::json::query {

[[nodiscard]] bool is_digit(char c);
[[nodiscard]] bool is_lower(char c);

/// First character of a name that is written without quotes.
[[nodiscard]] bool starts_name(char c);

/// The words of a JSONPath query: names, integers and literals. What is misspelt ends in a
/// `SyntaxError`.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

protected:
    [[noreturn]] void expected(std::string what) const;
    [[noreturn]] static void expected_at(std::size_t at, std::string what);

    void check_encoding() const;

    [[nodiscard]] bool ended() const { return at_ == text_.size(); }

    /// The next byte, 0 at the end.
    [[nodiscard]] char peek() const { return ended() ? '\0' : text_[at_]; }

    /// Moves past the given text if it comes next.
    bool take(char c);
    bool take(std::string_view word);
    void demand(char c);
    void skip_space();

    [[nodiscard]] std::string shorthand_name();

    /// Nothing where neither a digit nor a minus comes next.
    [[nodiscard]] std::optional<std::int64_t> optional_integer();

    /// Requires that a quote comes next.
    [[nodiscard]] std::string string_literal();

    [[nodiscard]] Value number_literal();

    std::string_view text_;
    std::size_t at_ = 0;

private:
    void escape(std::string& out, char quote);
};

} // namespace sagabox::json::query
