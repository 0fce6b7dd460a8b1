#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/fault.hpp"
#include "json/path.hpp"
#include "json/value.hpp"

namespace sagabox::core {

/// Looks up a placeholder's value; a null pointer where there is none.
using Lookup = std::function<const json::Value*(std::string_view name)>;

/// A URL with `{name}` placeholders in its path, query or fragment, never in scheme, host or
/// userinfo. A value is inserted percent-encoded (everything but RFC 3986's unreserved characters),
/// so it can never add a segment, a query or a host.
class UrlTemplate {
public:
    UrlTemplate() = default;

    /// Fails on anything but http and https, on a missing host, on an unbalanced brace, and on a
    /// placeholder before the path.
    [[nodiscard]] static Result<UrlTemplate> parse(std::string_view text);

    /// The URL with every placeholder filled. Fails, naming the placeholder, where a value is
    /// missing, null, empty, an object or an array, holds a control character, or would make a
    /// whole path segment `.` or `..`.
    [[nodiscard]] Result<std::string> fill(const Lookup& lookup) const;

    [[nodiscard]] const std::vector<std::string>& placeholders() const { return names_; }
    [[nodiscard]] const std::string& text() const { return text_; }

    /// The text with userinfo and the values of the query replaced: fit for logs and tables.
    [[nodiscard]] static std::string without_secrets(std::string_view url);

private:
    std::string text_;
    std::vector<std::string> names_;
    std::vector<std::string> literals_; ///< one more than `names_`
};

/// A JSON body with `{name}` placeholders. Inside a JSON string a placeholder becomes text, outside
/// one it becomes the JSON value. Inserted values are never scanned again.
class BodyTemplate {
public:
    BodyTemplate() = default;

    /// Fails where the text would be no JSON document however it is filled. A brace pair is a
    /// placeholder when it holds an identifier (`[A-Za-z_][A-Za-z0-9_.-]*`) and nothing else.
    [[nodiscard]] static Result<BodyTemplate> parse(std::string_view text);

    /// The body. Fails, naming the placeholder, where a value is missing, null or an empty string;
    /// inside a string, also where it is an object or an array.
    [[nodiscard]] Result<json::Value> fill(const Lookup& lookup) const;

    /// The same as JSON text, for values that may be large: nothing is built but the text. An empty
    /// string is a value like others here.
    [[nodiscard]] Result<std::string> fill_text(const Lookup& lookup) const;

    [[nodiscard]] const std::vector<std::string>& placeholders() const { return names_; }

private:
    std::string text_;
    std::vector<std::string> names_;
};

enum class Source : std::uint8_t { request, response };

/// One entry of a revert's `extract`: where a placeholder's value comes from.
struct Extraction {
    std::string name;
    Source source;
    json::Path path;

    /// Reads `request:$.x`, `response:$.x`, or `$.x`, which means the response.
    [[nodiscard]] static Result<Extraction> parse(std::string name, std::string_view expression);
};

} // namespace sagabox::core
