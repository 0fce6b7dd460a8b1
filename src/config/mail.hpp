#pragma once

#include "config/reader.hpp"
#include "config/report.hpp"
#include "config/settings.hpp"
#include "config/view.hpp"
#include "core/mail.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sagabox::config {

/// The section `email`, as mail is sent by it and as it is taken in.
struct MailSettings {
    core::MailPlan plan; ///< but for the providers' `shown_url`, which wants the file's secrets
    Mail rules;
    std::vector<std::string> secrets; ///< that stand in the environment alone
};

/// Nothing where the file has no such section, or none that could be used.
[[nodiscard]] std::optional<MailSettings> read_mail(const View& email,
                                                    const Environment& environment, Report& report);

/// The place that a provider's rows and log lines name, without secrets.
[[nodiscard]] std::string shown_place(const core::MailProvider& provider, const core::Plan& plan);

/// Puts the destination `email` into the plan, and reports a route that has taken its name.
void add_mail_destination(const View& calls, core::Plan& plan, Report& report);

} // namespace sagabox::config
