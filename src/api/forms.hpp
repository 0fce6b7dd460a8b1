#pragma once

#include "core/plan.hpp"
#include "store/event_views.hpp"
#include "store/letter_views.hpp"
#include "store/mail_views.hpp"
#include "store/overview.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sagabox::api {

/// The JSON forms of what people see, for the API and the command line alike.
///
/// Texts that may quote what came from outside (errors, addresses) are shown without the plan's
/// secrets. Payloads and answers are shown as they are stored.
class Forms {
public:
    explicit Forms(const core::Plan& plan) : plan_(plan) {}

    [[nodiscard]] json::Value event(const store::EventView& event) const;
    [[nodiscard]] json::Value event(const store::EventDetail& detail) const;
    [[nodiscard]] json::Value letter(const store::LetterView& letter) const;
    [[nodiscard]] json::Value letter(const store::LetterDetail& detail) const;
    [[nodiscard]] json::Value result(const core::StepResult& result) const;
    [[nodiscard]] json::Value overview(const store::Overview& overview) const;
    [[nodiscard]] json::Value mail(const store::MailView& mail) const;
    [[nodiscard]] json::Value mail(const store::MailStory& story) const;
    [[nodiscard]] json::Value provider(const store::MailProviderState& state) const;

    /// A text without the plan's secrets.
    [[nodiscard]] std::string shown(std::string_view text) const;

private:
    [[nodiscard]] json::Object event_fields(const store::EventView& event) const;
    [[nodiscard]] json::Object letter_fields(const store::LetterView& letter) const;
    [[nodiscard]] json::Object mail_fields(const store::MailView& mail) const;
    [[nodiscard]] json::Value text(const std::string& text) const;

    const core::Plan& plan_;
};

[[nodiscard]] json::Value moment(const std::optional<DbTime>& at);
[[nodiscard]] json::Value text_or_null(const std::string& text);

/// `{"items": […], "next": …}`
[[nodiscard]] json::Value list_form(json::Array items, std::optional<std::int64_t> next);

} // namespace sagabox::api
