#pragma once

#include "api/answer.hpp"
#include "http/server.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::api {

/// Reads a query, and remembers the first thing that is wrong with it.
class Parameters {
public:
    explicit Parameters(const http::Request& request) : request_(request) {}

    [[nodiscard]] std::string text(std::string_view name);

    /// An id that a page ends before.
    [[nodiscard]] std::optional<std::int64_t> before();
    [[nodiscard]] int limit();

    /// A label that `read` knows; nothing where it is not given.
    template <class Label>
    std::optional<Label> label(std::string_view name,
                               std::optional<Label> (*read)(std::string_view),
                               std::string_view known)
    {
        const std::string_view given = request_.query_value(name);
        if (given.empty()) {
            return std::nullopt;
        }
        std::optional<Label> found = read(given);
        if (!found) {
            refuse(std::string(name) + " must be one of " + std::string(known) + ".");
        }
        return found;
    }

    void refuse(std::string detail);

    /// 400, where anything was wrong.
    [[nodiscard]] std::optional<http::Response> problem() const;

private:
    const http::Request& request_;
    std::string fault_;
};

/// Reads the object that a POST brings, and gathers what is wrong with it.
class Body {
public:
    /// An empty body is an empty object.
    explicit Body(const http::Request& request);

    /// The field's text; empty, and a fault where it is `required`, if it is missing or blank.
    enum class Presence : std::uint8_t { optional, required };
    [[nodiscard]] std::string text(const std::string& field, Presence presence,
                                   std::size_t most_bytes);
    [[nodiscard]] int whole(const std::string& field, int least, int most, int otherwise);

    /// 400 for what is no JSON, 422 for faults and for fields that nobody asked for.
    [[nodiscard]] std::optional<http::Response> problem() const;

private:
    json::Object object_;
    std::vector<std::string> asked_;
    std::vector<FieldFault> faults_;
    bool readable_ = true;
};

} // namespace sagabox::api
