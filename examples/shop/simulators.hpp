#pragma once

#include "shop/conditions.hpp"
#include "shop/ledger.hpp"
#include "shop/mailbox.hpp"
#include "shop/message.hpp"
#include "shop/script.hpp"
#include "shop/services.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace shop {

class Fields;

/// The outside services that the demo's sagas call, and the addresses by which a test steers and
/// inspects them. Thread-safe.
///
/// A key that has taken effect is answered again from memory and has no second effect. A call that
/// fails by its rate, or comes beyond the limit of calls a second, has done nothing; one that is
/// answered late has taken effect when it came. Ids come from the key.
class Simulators {
public:
    /// The customer whose every charge is refused with 402.
    static constexpr std::string_view declined_customer = "declined-card";

    /// What a provider answers to a message, and how much later.
    struct MailAnswer {
        bool taken;
        std::chrono::milliseconds delay;
    };

    /// `rates` by action, 0 to 1; actions that do not exist are left out.
    Simulators(const std::map<std::string, double>& rates, std::uint64_t seed);

    /// Replaces the rates of the actions that are named; those that do not exist are left out.
    void set_rates(const std::map<std::string, double>& rates);

    Response handle(const Call& call, const Request& request);

    /// A message that came by SMTP; the provider refuses it by its rate, limit or script.
    MailAnswer take_mail(TakenMail mail);

    /// Below `/api/simulators`: `ledger`, `mailbox`, `failure-rates`, `latencies`, `rate-limits`,
    /// `script`, `reset`.
    Response administer(const Request& request, std::string_view what);

private:
    Response decide(const Call& call, const Fields& fields, Entry& entry);
    Response decide_by_conditions(const Call& call, const Fields& fields, Entry& entry);
    Response scripted(const ScriptedAnswer& answer, const Call& call, const Fields& fields,
                      Entry& entry);
    Response perform(const Call& call, const Fields& fields, Entry& entry);
    Response make(const Service& service, const Fields& fields, Entry& entry);
    Response undo(const Call& call, Entry& entry);
    void take_http_mail(const Call& call, const Request& request);

    Response ledger(const Request& request) const;
    Response conditions(const Request& request, std::string_view setting);

    mutable std::mutex mutex_;
    Conditions conditions_;
    Script script_;
    Ledger ledger_;
    Mailbox mailbox_;
};

} // namespace shop
