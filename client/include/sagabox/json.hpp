#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sagabox::client {

/// A JSON value as text, for the payloads of an event.
///
/// Numbers keep the digits that they are given as: `100.10` stays `100.10`. There is therefore no
/// way in for a `double`, which has lost them already. Text is escaped here, whatever it holds.
class Json {
public:
    Json(std::nullptr_t);
    Json(std::string_view text);
    Json(const std::string& text) : Json(std::string_view(text)) {}
    Json(const char* text) : Json(std::string_view(text)) {}
    template <std::same_as<bool> Bool>
    Json(Bool value) : text_(value ? "true" : "false")
    {
    }
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool> && sizeof(Integer) > 1) Json(Integer value)
        : text_(std::to_string(value))
    {
    }
    template <std::floating_point Lossy>
    Json(Lossy) = delete;

    /// A number by its digits, such as what a `numeric` column reads as. Throws
    /// `std::invalid_argument` for text that is no JSON number.
    [[nodiscard]] static Json number(std::string_view digits);

    /// A whole document that is JSON text already, kept byte for byte. Throws
    /// `std::invalid_argument` for text that is not one document.
    [[nodiscard]] static Json parsed(std::string_view text);

    using Member = std::pair<std::string_view, Json>;
    [[nodiscard]] static Json object(std::initializer_list<Member> members);
    [[nodiscard]] static Json object(const std::vector<std::pair<std::string, Json>>& members);
    [[nodiscard]] static Json array(std::initializer_list<Json> elements);
    [[nodiscard]] static Json array(const std::vector<Json>& elements);

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    Json() = default;

    std::string text_;
};

} // namespace sagabox::client
