#include "tests/sim/audit.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sagabox::sim {

namespace {

using core::audit::EventFacts;
using core::audit::LeaseFacts;
using core::audit::LetterFacts;

LeaseFacts lease_facts(const Lease& lease)
{
    return lease.owner == 0 ? LeaseFacts{} : LeaseFacts{true, lease.expires_at};
}

EventFacts event_facts(const EventRow& row)
{
    EventFacts facts;
    facts.event = row.event;
    facts.status_changed_at = row.status_changed_at;
    facts.moved_to_dlq = row.moved_to_dlq;
    facts.lease = lease_facts(row.lease);
    facts.results = row.results;
    for (core::StepResult& result : facts.results) {
        if (result.forgiven) {
            facts.forgiven_up_to = std::max(facts.forgiven_up_to, result.id);
        }
        result.forgiven = false; // the tables keep only up to where
    }
    return facts;
}

} // namespace

std::vector<core::audit::Finding> audit(const core::Plan& plan, const Database& database)
{
    std::vector<EventFacts> all;
    for (const EventRow& row : database.events()) {
        all.push_back(event_facts(row));
    }
    for (std::size_t i = 0; i < database.letters().size(); ++i) {
        const LetterRow& row = database.letters()[i];
        LetterFacts letter;
        letter.id = {static_cast<std::int64_t>(i) + 1};
        letter.status = row.status;
        letter.reason = row.reason;
        letter.status_changed_at = row.status_changed_at;
        letter.lease = lease_facts(row.lease);
        all[row.event].letters.push_back(letter);
    }
    core::audit::Terms terms;
    terms.in_order = database.ordering() == Ordering::aggregate;

    std::vector<core::audit::Finding> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<const EventFacts*> earlier;
        for (std::size_t j = 0; j < i; ++j) {
            if (all[j].event.aggregate_id == all[i].event.aggregate_id) {
                earlier.push_back(&all[j]);
            }
        }
        for (core::audit::Finding& one :
             core::audit::audit(plan, terms, all[i], earlier, database.now)) {
            found.push_back(std::move(one));
        }
    }
    return found;
}

} // namespace sagabox::sim
