#include "api/reasons.hpp"

#include "api/forms.hpp"
#include "api/next_action.hpp"
#include "core/mail.hpp"
#include "core/moment.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace sagabox::api {

namespace {

using core::EventStatus;
using core::LetterStatus;

/// `3.4 s`, `12 min`, `5 h`, `3 d`
std::string span(std::chrono::microseconds time)
{
    const double seconds = std::chrono::duration<double>(time).count();
    constexpr double minute = 60;
    constexpr double hour = 60 * minute;
    constexpr double day = 24 * hour;
    if (seconds < 2 * minute) {
        return fmt::format("{:.1f} s", seconds);
    }
    if (seconds < 2 * hour) {
        return fmt::format("{:.0f} min", seconds / minute);
    }
    return seconds < 2 * day ? fmt::format("{:.0f} h", seconds / hour)
                             : fmt::format("{:.0f} d", seconds / day);
}

class Reasons {
public:
    Reasons(const core::Plan& plan, const Forms& forms, const Holdup& holdup,
            const std::vector<store::ShutDestination>& left_alone)
        : plan_(plan), forms_(forms), detail_(holdup.event), blockers_(holdup.blockers),
          left_alone_(left_alone), next_(next_action(plan, forms, holdup.event))
    {
    }

    std::vector<std::string> take()
    {
        switch (detail_.event.status) {
        case EventStatus::PENDING:
            waits();
            break;
        case EventStatus::PROCESSING:
            is_worked_on();
            break;
        case EventStatus::PROCESSED:
            if (detail_.letter) {
                has_failed(*detail_.letter);
            } else {
                say("it was delivered at {}",
                    core::format_rfc3339(detail_.event.status_changed_at));
            }
            break;
        case EventStatus::CANCELLED:
            say("a cancel stopped it at {}", core::format_rfc3339(detail_.event.status_changed_at));
            break;
        case EventStatus::FAILED:
            if (detail_.letter) {
                has_failed(*detail_.letter);
            } else {
                say("it failed at {}{}", core::format_rfc3339(detail_.event.status_changed_at),
                    after(detail_.event.last_error));
            }
            break;
        }
        return std::move(said_);
    }

private:
    template <class... Args>
    void say(fmt::format_string<Args...> format, Args&&... args)
    {
        said_.push_back(fmt::format(format, std::forward<Args>(args)...));
    }

    [[nodiscard]] std::string after(const std::string& error) const
    {
        return error.empty() ? std::string() : ", after: " + forms_.shown(error);
    }

    [[nodiscard]] std::string from_now(DbTime at) const { return span(at - detail_.now); }

    void waits()
    {
        const store::EventView& event = detail_.event;
        const bool later = event.next_retry_at && *event.next_retry_at > detail_.now;
        if (later && event.last_error.empty()) {
            say("it is not to begin before {}, in {}", core::format_rfc3339(*event.next_retry_at),
                from_now(*event.next_retry_at));
        } else if (later && event.retry_count == 0) {
            say("it comes back in {}{}", from_now(*event.next_retry_at), after(event.last_error));
        } else if (later) {
            say("retry {} of {} is due in {}{}", event.retry_count, most_retries(),
                from_now(*event.next_retry_at), after(event.last_error));
        }
        if (const auto& before = blockers_.event) {
            say("it waits behind event {} ({}) of the same aggregate, which is {}: `sagabox why "
                "{}`",
                before->id.value, before->type, before->status, before->id.value);
        }
        if (const auto& letter = blockers_.letter) {
            say("it waits behind dead letter {} of event {} of the same aggregate, which is {}: "
                "`sagabox why {}`",
                letter->id.value, letter->event.value, letter->status, letter->event.value);
        }
        const bool free = said_.empty();
        tell_of_destination();
        if (blockers_.workers == 0) {
            nobody_works();
        } else if (free) {
            say("nothing stands in its way: a relay takes it at its next look");
        }
        tell_what_comes();
    }

    void is_worked_on()
    {
        if (detail_.lease_expires_at && *detail_.lease_expires_at > detail_.now) {
            say("{} works on it, and its lease runs for {} more", detail_.lease_owner,
                from_now(*detail_.lease_expires_at));
            tell_of_destination();
        } else {
            say("{} worked on it and is gone: a relay takes it over at its next look",
                detail_.lease_owner);
            if (blockers_.workers == 0) {
                nobody_works();
            }
        }
        tell_what_comes();
    }

    void has_failed(const store::LetterView& letter)
    {
        const std::string id = std::to_string(letter.id.value);
        switch (letter.status) {
        case LetterStatus::PROCESSED:
            say("it failed for good and was undone{}", after(letter.last_error));
            return;
        case LetterStatus::RESOLVED:
            say("it failed for good, and a person closed its dead letter {}{}", id,
                after(letter.last_error));
            return;
        case LetterStatus::FAILED:
            say("its dead letter {} waits for a person{}", id,
                after(letter.revert_error.empty() ? letter.last_error : letter.revert_error));
            say("put right what stands in the way, then `sagabox dead-letters retry {0}`, or close "
                "it by `sagabox dead-letters resolve {0}`",
                id);
            return;
        case LetterStatus::PENDING:
        case LetterStatus::PROCESSING:
            break;
        }
        say("it failed for good{}", after(letter.last_error));
        if (letter.status == LetterStatus::PROCESSING) {
            say("its dead letter {} is being undone just now", id);
        } else if (letter.next_retry_at && *letter.next_retry_at > detail_.now) {
            say("undoing it, dead letter {}, goes on in {} with retry {} of {}{}", id,
                from_now(*letter.next_retry_at), letter.revert_retry_count,
                plan_.revert_max_retries, after(letter.revert_error));
        } else {
            say("its dead letter {} waits to be undone", id);
        }
        tell_of_destination();
        if (blockers_.workers == 0) {
            nobody_works();
        }
        tell_what_comes();
    }

    /// Where what comes next is a call to somebody who is left alone.
    void tell_of_destination()
    {
        const json::Value* const named = next_.find("destination");
        if (named == nullptr || named->as_string() == nullptr) {
            return;
        }
        std::string name = *named->as_string();
        constexpr std::string_view undoing = ".revert";
        if (name.ends_with(undoing)) {
            name.resize(name.size() - undoing.size());
        }
        for (const store::ShutDestination& one : left_alone_) {
            if (one.name != name) {
                continue;
            }
            if (one.state == "half_open") {
                say("{} is on trial: one call is to show whether it works{}", name, after(one.why));
            } else {
                say("{} is left alone for {} more, {}{}", name, from_now(one.until),
                    one.state == "open" ? "since it failed again and again" : "as it asked for",
                    after(one.why));
            }
        }
    }

    void tell_what_comes()
    {
        const json::Value* const description = next_.find("description");
        if (description != nullptr && description->as_string() != nullptr) {
            say("next: {}", *description->as_string());
        }
    }

    void nobody_works()
    {
        say("no relay is connected to this database, as far as this role may see: is one running?");
    }

    [[nodiscard]] int most_retries() const
    {
        return detail_.email && plan_.mail ? plan_.mail->max_retries : plan_.max_retries;
    }

    const core::Plan& plan_;
    const Forms& forms_;
    const store::EventDetail& detail_;
    const store::Blockers& blockers_;
    const std::vector<store::ShutDestination>& left_alone_;
    json::Value next_; ///< what comes next
    std::vector<std::string> said_;
};

} // namespace

std::vector<std::string> reasons_of(const core::Plan& plan, const Forms& forms,
                                    const Holdup& holdup,
                                    const std::vector<store::ShutDestination>& left_alone)
{
    return Reasons(plan, forms, holdup, left_alone).take();
}

} // namespace sagabox::api
