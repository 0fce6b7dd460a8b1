#pragma once

// Builders for the unit tests of this part.

#include "core/call.hpp"

#include <gtest/gtest.h>

namespace sagabox::core {

/// The value, or a failed test and an exception that ends it.
template <class T>
T must(Result<T> result)
{
    if (!result) {
        ADD_FAILURE() << result.error().text();
    }
    return std::move(result).value();
}

inline json::Value json_of(std::string_view text)
{
    return must(json::parse(text));
}

inline json::Path path_of(std::string_view text)
{
    return must(json::Path::compile(text));
}

/// 2026-11-30T21:51:17Z
inline constexpr DbTime test_now{std::chrono::seconds{1'796'075'477}};

inline Event test_event(std::string_view payloads = "{}")
{
    Event event;
    event.id = EventId{17};
    event.aggregate_id = "123";
    event.type = "OrderCreated";
    event.payloads = json_of(payloads);
    event.uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
    event.created_at = test_now;
    return event;
}

inline const std::string* header(const Headers& headers, std::string_view name)
{
    const std::string* found = nullptr;
    for (const auto& [key, value] : headers) {
        if (key == name) {
            EXPECT_EQ(found, nullptr) << name << " stands there twice";
            found = &value;
        }
    }
    return found;
}

inline std::string header_text(const Headers& headers, std::string_view name)
{
    const std::string* value = header(headers, name);
    return value == nullptr ? "(none)" : *value;
}

} // namespace sagabox::core
