#include "api/explanation.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/question.hpp"
#include "app/wiring.hpp"
#include "store/requests.hpp"

#include <iostream>

namespace sagabox::app {

namespace {

std::string text_of(const json::Value& value)
{
    const std::string* text = value.as_string();
    return text != nullptr ? *text : json::write(value);
}

void print_state(const core::History& history)
{
    std::cout << "event " << history.event.id.value << ' ' << history.event.type << " of "
              << history.event.aggregate_id << ": " << core::to_label(history.event.status);
    if (history.letter) {
        std::cout << ", dead letter " << core::to_label(*history.letter);
    }
    std::cout << '\n';
}

void print_undo(const json::Value& explanation)
{
    const json::Array& undo = *explanation.find("undo")->as_array();
    for (std::size_t i = 0; i < undo.size(); ++i) {
        std::cout << "undo " << i + 1 << ": " << text_of(*undo[i].find("httpMethod")) << ' '
                  << text_of(*undo[i].find("endpointUrl"));
        if (const json::Value& body = *undo[i].find("body"); !body.is_null()) {
            std::cout << ' ' << json::write(body);
        }
        std::cout << '\n';
    }
    const json::Value& stops = *explanation.find("undoStops");
    if (!stops.is_null()) {
        std::cout << "undo stops: " << text_of(stops) << '\n';
    } else if (undo.empty()) {
        std::cout << "undo: nothing that it did needs undoing\n";
    }
}

} // namespace

int explain(const std::string& file, std::int64_t event, bool as_json)
{
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    const auto found = ask_about(*settings, EventId{event}, &store::find_history);
    if (!found) {
        std::cerr << found.error().text() << '\n';
        return failed;
    }
    if (!*found) {
        std::cerr << "there is no event " << event << " in outbox_events\n";
        return failed;
    }
    const json::Value explanation = api::explanation_form(*settings->plan, **found);
    if (as_json) {
        std::cout << json::write(explanation) << '\n';
        return done;
    }
    print_state(**found);
    std::cout << "next: " << text_of(*explanation.find("next")) << '\n';
    if (!core::is_cancellation((*found)->event.type)) {
        print_undo(explanation);
    }
    return done;
}

} // namespace sagabox::app
