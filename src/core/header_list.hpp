#pragma once

#include "base/fault.hpp"
#include "core/plan.hpp"

#include <string>
#include <string_view>

namespace sagabox::core {

/// Header names differ in case only when they are the same.
[[nodiscard]] bool same_header_name(std::string_view a, std::string_view b);

/// The headers of one request, each name once. Holds nothing that could end a header early.
class HeaderList {
public:
    /// One of our own. The value has its control characters and bytes beyond ASCII percent-encoded.
    void put(std::string_view name, std::string_view value);

    /// One from outside. Replaces a header of its name, whatever the case; dropped where it is
    /// `Idempotency-Key` or a framing header. Fails, without showing the value, where the name is
    /// no RFC 9110 token or the value holds CR, LF or NUL.
    [[nodiscard]] Result<void> override_with(std::string_view name, std::string_view value);
    [[nodiscard]] Result<void> override_with(const Headers& headers);

    [[nodiscard]] Headers take() && { return std::move(headers_); }

private:
    Headers headers_;
};

} // namespace sagabox::core
