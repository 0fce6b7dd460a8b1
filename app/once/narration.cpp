#include "app/once/narration.hpp"

#include <string_view>

#include <fmt/format.h>

namespace sagabox::app::once {

namespace {

std::string end_of(const store::EventStory& event)
{
    std::string text(core::to_label(event.event.status));
    if (event.letter) {
        text += fmt::format(", dead letter {} ({})", core::to_label(event.letter->status),
                            core::to_label(event.letter->reason));
    }
    return text;
}

std::string_view path_of(std::string_view url)
{
    const std::size_t host = url.find("://");
    const std::size_t path = host == std::string_view::npos ? host : url.find('/', host + 3);
    return path == std::string_view::npos ? url : url.substr(path);
}

std::string line_of(const core::StepResult& row)
{
    const bool revert = row.direction == core::Direction::revert;
    std::string line =
        fmt::format("     {} {:<16} try {}  {:<6} {:>3}  {:<9} {:>5} ms  {}", revert ? "<-" : "->",
                    row.destination + (revert ? ".revert" : ""), row.attempt, row.http_method,
                    row.response_status ? std::to_string(*row.response_status) : "-",
                    core::to_label(row.outcome), row.duration.count(), path_of(row.endpoint_url));
    if (row.retry_after) {
        line += fmt::format("  Retry-After: {} ms", row.retry_after->count());
    }
    return line + '\n';
}

} // namespace

std::string narrate(const Order& order, const Evidence& evidence)
{
    std::string text = fmt::format("   order {}: customer {}, {} USD, {}, risk {}\n", order.id,
                                   order.asked.customer, order.asked.amount,
                                   to_label(order.asked.parcel), is_high_risk(order.id) ? 75 : 25);
    const std::vector<core::StepResult> rows = all_results(evidence.story);
    for (const store::EventStory& event : evidence.story) {
        text += fmt::format("   event {:<4} {:<18} {}\n", event.event.id.value, event.event.type,
                            end_of(event));
        for (const core::StepResult& row : rows) {
            if (row.cause == event.event.id) {
                text += line_of(row);
            }
        }
    }
    text += fmt::format("   order {} is {}; in force: {}\n", order.id, evidence.order_status,
                        to_text(evidence.ledger.standing));
    return text;
}

} // namespace sagabox::app::once
