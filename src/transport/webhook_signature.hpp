#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sagabox::transport {

/// The value of `webhook-signature`: `v1,` and the base64 of an HMAC with SHA-256, by `key`, over
/// id, time and body with a full stop between each. Standard Webhooks 1.0.0, "Signature scheme".
[[nodiscard]] std::string webhook_signature(std::string_view key, std::string_view id,
                                            std::int64_t unix_seconds, std::string_view body);

} // namespace sagabox::transport
