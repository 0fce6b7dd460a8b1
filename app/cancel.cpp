#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/question.hpp"
#include "app/wiring.hpp"
#include "store/requests.hpp"
#include "json/value.hpp"

#include <iostream>

namespace sagabox::app {

int cancel(const std::string& file, std::int64_t event, bool as_json)
{
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    const auto asked = ask_about(*settings, EventId{event}, &store::ask_cancel);
    if (!asked) {
        std::cerr << asked.error().text() << '\n';
        return failed;
    }
    if (!*asked) {
        std::cerr << "there is no event " << event
                  << " that could be cancelled (a cancel itself can't "
                  << "be): look for its id in outbox_events\n";
        return failed;
    }
    if (as_json) {
        json::Object form;
        form.set("id", json::Value::integer((*asked)->id.value));
        form.set("eventType", (*asked)->event_type);
        form.set("aggregateId", (*asked)->aggregate_id);
        std::cout << json::write(form) << '\n';
        return done;
    }
    std::cout << "event " << (*asked)->id.value << ' ' << (*asked)->event_type << " of "
              << (*asked)->aggregate_id << ": a running relay undoes what event " << event
              << " did, last step first\n";
    return done;
}

} // namespace sagabox::app
