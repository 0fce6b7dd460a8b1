#include "core/call.hpp"

namespace sagabox::core {
namespace {

Outcome by_contract(int status, Direction direction)
{
    if (status < 200) {
        // No final answer: whatever it was, it says neither yes nor no.
        return Outcome::unknown;
    }
    if (status < 300) {
        return Outcome::succeeded;
    }
    switch (status) {
    case 404:
    case 410:
        return direction == Direction::revert ? Outcome::succeeded : Outcome::rejected;
    case 408:
    case 425:
    case 429:
        return Outcome::failed;
    case 502:
    case 504:
        // A gateway's answer, not the peer's: behind it the call may have taken effect.
        return Outcome::unknown;
    default:
        return status < 500 ? Outcome::rejected : Outcome::failed;
    }
}

/// The width of the narrowest range that holds `status`; 0 where none does.
int narrowest(const std::vector<StatusRange>& ranges, int status)
{
    int width = 0;
    for (const StatusRange& range : ranges) {
        if (status >= range.first && status <= range.last) {
            const int candidate = range.last - range.first + 1;
            width = width == 0 || candidate < width ? candidate : width;
        }
    }
    return width;
}

} // namespace

Outcome classify(const Answer& answer, Direction direction, const Classification& rules)
{
    switch (answer.delivery) {
    case Answer::Delivery::not_sent:
        return Outcome::failed;
    case Answer::Delivery::unanswered:
        // A status may have been seen, but an answer that broke off may have broken off anywhere.
        return Outcome::unknown;
    case Answer::Delivery::answered:
        break;
    }

    const Outcome usual = by_contract(answer.status, direction);
    const struct {
        int width;
        Outcome outcome;
    } named[] = {
        {narrowest(rules.success, answer.status), Outcome::succeeded},
        // To be retried is what a rule can say; that a gateway hid what happened it can't change.
        {narrowest(rules.retry, answer.status),
         usual == Outcome::unknown ? Outcome::unknown : Outcome::failed},
        {narrowest(rules.reject, answer.status), Outcome::rejected},
    };

    Outcome outcome = usual;
    int width = 0;
    for (const auto& rule : named) {
        if (rule.width != 0 && (width == 0 || rule.width < width)) {
            width = rule.width;
            outcome = rule.outcome;
        }
    }
    return outcome;
}

} // namespace sagabox::core
