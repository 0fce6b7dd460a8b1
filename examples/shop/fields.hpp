#pragma once

#include "shop/message.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace shop {

/// The outermost members of a JSON object, with numbers by the digits that they came in.
class Fields {
public:
    enum class Kind { text, number, other };
    struct Field {
        Kind kind = Kind::other;
        std::string text; ///< decoded text, or a number's digits; empty for `other`
    };

    /// Nothing for text that is not one JSON object. Of two members of one name the last counts.
    [[nodiscard]] static std::optional<Fields> read(std::string_view body);

    [[nodiscard]] const Field* find(std::string_view name) const;

    /// The member as JSON, where it is text or a number; `null` otherwise.
    [[nodiscard]] Json scalar(std::string_view name) const;

private:
    std::map<std::string, Field, std::less<>> fields_;
};

} // namespace shop
