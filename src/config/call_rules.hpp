#pragma once

#include "config/report.hpp"
#include "config/view.hpp"
#include "core/plan.hpp"

#include <optional>
#include <string>

namespace sagabox::config {

// What forward routes, reverts and mail providers have in common.

[[nodiscard]] core::Headers read_headers(const View& call);
[[nodiscard]] core::RetryAfterRule read_retry_after(const View& rule, Report& report);
[[nodiscard]] core::Classification read_classification(const View& rules, Report& report);
[[nodiscard]] std::shared_ptr<const core::Tls> read_tls(const View& rule, Report& report);
[[nodiscard]] core::Redaction read_redaction(const View& rule);
[[nodiscard]] std::optional<core::Signing> read_signing(const View& rule, Report& report);
[[nodiscard]] core::Backoff read_backoff(const View& view, Report& report);
[[nodiscard]] std::string read_method(const View& call);

} // namespace sagabox::config
