#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::config {

/// A configuration value after includes and substitutions, free of any parser's types.
struct Node {
    enum class Kind : std::uint8_t { null, text, number, boolean, list, object };

    Kind kind = Kind::null;
    std::string text; ///< of a scalar, digit for digit as it was written
    std::vector<Node> items;
    std::map<std::string, Node, std::less<>> members;

    std::string file;
    int line = 0; ///< 0: not known

    /// Environment variables that the value, or a part of it, came from.
    std::vector<std::string> variables;

    /// Holds a substitution that could not be resolved, which has been reported: not to be judged.
    bool unresolved = false;

    [[nodiscard]] bool is_scalar() const
    {
        return kind == Kind::text || kind == Kind::number || kind == Kind::boolean;
    }

    /// A member that is there and not null; a null pointer for anything else.
    [[nodiscard]] const Node* find(std::string_view name) const;
};

/// The value as JSON text.
[[nodiscard]] std::string to_json(const Node& node);

/// `parent.name`, with the name in quotes where HOCON wants them.
[[nodiscard]] std::string join(std::string_view parent, std::string_view name);

} // namespace sagabox::config
