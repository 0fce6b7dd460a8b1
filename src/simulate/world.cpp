#include "simulate/world.hpp"

#include "simulate/document.hpp"

#include <utility>

namespace sagabox::simulate {

namespace {

/// Gives each value that the undos of a destination look for a place in the document.
void invent_extracted(json::Value& document, const core::Destination& step, core::Source source,
                      int only_route)
{
    for (std::size_t i = 0; i < step.routes.size(); ++i) {
        const core::Route& route = step.routes[i];
        if (!route.revert || (only_route >= 0 && static_cast<int>(i) != only_route)) {
            continue;
        }
        for (const core::Extraction& extraction : route.revert->extract) {
            if (extraction.source == source && extraction.path.first(document) == nullptr) {
                // Where that can't be done, the undo can't be built and says so.
                (void)place(document, extraction.path, json::Value("some-" + extraction.name));
            }
        }
    }
}

void apply(json::Value& document, const Variable& variable, const Candidate& candidate)
{
    if (candidate.kind == Candidate::Kind::missing) {
        (void)remove(document, *variable.path);
    } else if (candidate.kind == Candidate::Kind::value) {
        (void)place(document, *variable.path, candidate.value);
    }
}

json::Value invented_payload(const core::Destination& step)
{
    if (step.means == core::Means::mail) {
        json::Object message;
        message.set("message", json::Value::integer(1));
        return message;
    }
    json::Value body = json::Object{};
    invent_extracted(body, step, core::Source::request, -1);
    json::Object path_params;
    for (const core::Route& route : step.routes) {
        for (const std::string& name : route.url.placeholders()) {
            path_params.set(name, json::Value("some-" + name));
        }
    }
    json::Object envelope;
    envelope.set("payload", std::move(body));
    envelope.set("pathParams", std::move(path_params));
    return envelope;
}

/// The body within what is sent to a destination, which may be an envelope.
json::Value body_of(std::string_view destination, const json::Value& sent)
{
    core::Event event;
    json::Object payloads;
    payloads.set(std::string(destination), sent);
    event.payloads = std::move(payloads);
    return core::envelope_for(event, destination).body;
}

json::Value with_body(const std::string& destination, const json::Value& sent, json::Value body)
{
    const json::Value* inner = sent.find("payload");
    const bool wrapped = inner != nullptr && body_of(destination, sent) == *inner;
    if (!wrapped && sent.find("pathParams") == nullptr) {
        return body;
    }
    json::Object envelope = *sent.as_object();
    envelope.set("payload", std::move(body));
    return envelope;
}

} // namespace

World::World(const std::vector<const core::Destination*>& steps, const Samples& samples,
             const std::vector<Variable>& variables, const Case& chosen)
{
    for (const core::Destination* step : steps) {
        const json::Value* given = samples.payload(step->name);
        const json::Value sent = given != nullptr ? *given : invented_payload(*step);
        json::Value body = body_of(step->name, sent);
        const json::Value usual = body;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (variables[i].source == core::Source::request &&
                variables[i].destination == step->name) {
                apply(body, variables[i], variables[i].candidates[chosen[i]]);
            }
        }
        payloads_.set(step->name, body == usual ? sent : with_body(step->name, sent, body));

        for (std::size_t route = 0; route < step->routes.size(); ++route) {
            const json::Value* sample = samples.answer(step->name, static_cast<int>(route));
            json::Value answer = sample != nullptr ? *sample : json::Value(json::Object{});
            if (sample == nullptr) {
                invent_extracted(answer, *step, core::Source::response, static_cast<int>(route));
            }
            for (std::size_t i = 0; i < variables.size(); ++i) {
                if (variables[i].source == core::Source::response &&
                    variables[i].destination == step->name) {
                    apply(answer, variables[i], variables[i].candidates[chosen[i]]);
                }
            }
            answers_.emplace(std::pair(step->name, static_cast<int>(route)), std::move(answer));
        }
    }
}

core::Event World::event(std::string_view type) const
{
    core::Event event;
    event.id = EventId{1};
    event.aggregate_id = "some-aggregate";
    event.type = std::string(type);
    event.payloads = payloads_;
    event.uuid = "00000000-0000-4000-8000-000000000001";
    event.created_at = DbTime{std::chrono::hours{24 * 365 * 30}};
    return event;
}

const json::Value& World::answer(std::string_view destination, int route) const
{
    static const json::Value nothing{json::Object{}};
    const auto found = answers_.find(std::pair(std::string(destination), route));
    return found == answers_.end() ? nothing : found->second;
}

} // namespace sagabox::simulate
