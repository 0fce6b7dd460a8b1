#include "core/audit_rules.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace sagabox::core::audit {

namespace {

/// From the first call that was made on an event's behalf to the last.
struct Span {
    DbTime begin;
    DbTime end;
};

void stretch(std::optional<Span>& span, const EventFacts& facts, EventId cause)
{
    for (const StepResult& row : facts.results) {
        if (row.cause == cause) {
            const DbTime begin = row.published_at + -row.duration;
            span = span ? Span{std::min(span->begin, begin), std::max(span->end, row.published_at)}
                        : Span{begin, row.published_at};
        }
    }
}

/// Nothing where a person set it going again: then it comes when it comes.
std::optional<Span> undisturbed_span(const EventFacts& facts,
                                     std::span<const EventFacts* const> all)
{
    const bool cancellation = is_cancellation(facts.event.type);
    if (facts.event.run > 1 || (cancellation && !facts.letters.empty()) ||
        (!cancellation && forgiven_bound(facts).value > 0)) {
        return std::nullopt;
    }
    std::optional<Span> span;
    if (!cancellation) {
        stretch(span, facts, facts.event.id);
        return span;
    }
    for (const EventFacts* target : all) {
        stretch(span, *target, facts.event.id);
    }
    return span;
}

/// An earlier event that was emitted for later, or committed late, may begin while this one has
/// been claimed and has not called yet; it held up nobody.
bool surely_claimed_after(const EventFacts& facts, DbTime first_call, DbTime moment,
                          const Terms& terms)
{
    return facts.event.created_at > moment || first_call > moment + terms.longest_claim;
}

} // namespace

void judge_order(const Terms& terms, const EventFacts& facts,
                 std::span<const EventFacts* const> earlier, Report& report)
{
    if (!terms.in_order || is_cancellation(facts.event.type)) {
        return;
    }
    std::optional<Span> own;
    stretch(own, facts, facts.event.id);
    if (!own) {
        return;
    }
    for (const EventFacts* other : earlier) {
        const std::optional<Span> before = undisturbed_span(*other, earlier);
        if (before && surely_claimed_after(facts, own->begin, before->begin, terms) &&
            own->begin + terms.slack < before->end) {
            report.finding(rules::began_out_of_turn,
                           "it began while event " + std::to_string(other->event.id.value) +
                               " of its aggregate was still being worked on");
            return;
        }
    }
}

} // namespace sagabox::core::audit
