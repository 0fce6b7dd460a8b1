#pragma once

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
/// A key that has taken effect is answered again from memory and has no second effect. Failures are
/// drawn before the effect: a call that fails by its rate has done nothing. Ids come from the key
/// and draws from seed, action, aggregate and count, so that equal runs are equal.
class Simulators {
public:
    /// The customer whose every charge is refused with 402.
    static constexpr std::string_view declined_customer = "declined-card";

    /// `rates` by action, 0 to 1; actions that do not exist are left out.
    Simulators(const std::map<std::string, double>& rates, std::uint64_t seed);

    /// Replaces the rates of the actions that are named; those that do not exist are left out.
    void set_rates(const std::map<std::string, double>& rates);

    Response handle(const Call& call, const Request& request);

    /// A message that came by SMTP; false where the provider refuses it, by its rate or its script.
    bool take_mail(TakenMail mail);

    /// Below `/api/simulators`: `ledger`, `mailbox`, `failure-rates`, `script`, `reset`.
    Response administer(const Request& request, std::string_view what);

private:
    Response decide(const Call& call, const Request& request, const Fields& fields, Entry& entry);
    Response scripted(const ScriptedAnswer& answer, const Call& call, const Fields& fields,
                      Entry& entry);
    Response perform(const Call& call, const Fields& fields, Entry& entry);
    Response make(const Service& service, const Fields& fields, Entry& entry);
    Response undo(const Call& call, Entry& entry);
    void take_http_mail(const Call& call, const Request& request);
    bool fails(std::string_view action, const std::string& aggregate);

    Response ledger(const Request& request) const;
    Response put_rates(const Request& request);
    [[nodiscard]] Json rates() const;

    mutable std::mutex mutex_;
    std::map<std::string, double, std::less<>> rates_;
    std::uint64_t seed_;
    std::map<std::string, std::uint64_t> draws_;
    Script script_;
    Ledger ledger_;
    Mailbox mailbox_;
};

} // namespace shop
