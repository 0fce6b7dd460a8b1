#include "app/once/expected.hpp"

namespace sagabox::app::once {

namespace {

using core::Direction;

ExpectedCall call(int fanout_order, std::string destination, std::string action, std::string path)
{
    ExpectedCall made;
    made.destination = std::move(destination);
    made.action = std::move(action);
    made.method = "POST";
    made.path = std::move(path);
    made.fanout_order = fanout_order;
    return made;
}

ExpectedCall undo(int fanout_order, std::string destination, std::string action, std::string path)
{
    ExpectedCall made =
        call(fanout_order, std::move(destination), std::move(action), std::move(path));
    made.direction = Direction::revert;
    return made;
}

} // namespace

ExpectedCall ExpectedCall::of(std::size_t its_event, std::size_t its_cause) const
{
    ExpectedCall copy = *this;
    copy.event = its_event;
    copy.cause = its_cause;
    return copy;
}

ExpectedCall ExpectedCall::ended(core::Outcome its_outcome, std::optional<int> its_status) const
{
    ExpectedCall copy = *this;
    copy.outcome = its_outcome;
    copy.status = its_status;
    return copy;
}

ExpectedCall ExpectedCall::tried_again(int its_attempt) const
{
    ExpectedCall copy = *this;
    copy.attempt = its_attempt;
    return copy;
}

std::string to_label(Parcel parcel)
{
    return parcel == Parcel::domestic ? "domestic" : "international";
}

bool is_high_risk(std::int64_t order)
{
    return order % 2 != 0;
}

ExpectedCall reserve()
{
    return call(0, "inventory", "inventory.reserve", "/api/inventory/reserve");
}

ExpectedCall check_fraud()
{
    return call(1, "fraudCheck", "fraudCheck.check", "/api/fraud/check");
}

ExpectedCall ship(Parcel parcel)
{
    return call(2, "shipping", "shipping." + to_label(parcel) + ".create",
                "/api/" + to_label(parcel) + "-shipping");
}

ExpectedCall charge(std::int64_t order)
{
    return is_high_risk(order)
               ? call(3, "billing", "highValue.process", "/api/high-value-processing")
               : call(3, "billing", "billing.charge", "/api/billing");
}

ExpectedCall release()
{
    ExpectedCall made = undo(0, "inventory", "inventory.release", "/api/inventory/{}/release");
    made.method = "DELETE";
    return made;
}

ExpectedCall cancel_shipping(Parcel parcel)
{
    return undo(2, "shipping", "shipping." + to_label(parcel) + ".cancel",
                "/api/" + to_label(parcel) + "-shipping/{}/cancel");
}

ExpectedCall give_back(std::int64_t order)
{
    return is_high_risk(order)
               ? undo(3, "billing", "highValue.cancel", "/api/high-value-processing/{}/cancel")
               : undo(3, "billing", "billing.refund", "/api/billing/{}/refund");
}

ExpectedCall notify(const std::string& kind)
{
    return call(0, "notifications", "notifications.send", "/api/notifications/" + kind);
}

} // namespace sagabox::app::once
