#include "core/call.hpp"

#include "core/header_list.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>

namespace sagabox::fuzz {

namespace {

template <class T>
T must(Result<T> result)
{
    return std::move(*result);
}

core::Route make_route()
{
    core::Route route;
    route.url = must(core::UrlTemplate::parse("http://shop.example/orders/{id}/pay?by={who}"));
    route.headers = {{"X-Api-Key", "k"}};
    core::Revert revert;
    revert.method = "POST";
    revert.url = must(core::UrlTemplate::parse("http://shop.example/undo/{ref}"));
    revert.payload =
        must(core::BodyTemplate::parse(R"({"of":{ref},"text":"{why}!","key":"{idempotencyKey}"})"));
    revert.extract.push_back(must(core::Extraction::parse("ref", "response:$.ref")));
    revert.extract.push_back(must(core::Extraction::parse("why", "request:$..why")));
    route.revert = std::move(revert);
    return route;
}

core::Event make_event(json::Value payloads)
{
    core::Event event;
    event.id = EventId{7};
    event.aggregate_id = "order-7";
    event.type = "OrderCreated";
    event.uuid = "0b5cbd61-bd8e-4a10-b7bd-5d6a1f0f6a11";
    event.payloads = std::move(payloads);
    return event;
}

std::string_view origin_of(std::string_view url)
{
    return url.substr(0, url.find('/', std::string_view("http://").size()));
}

void check(const core::Request& request, std::string_view key)
{
    require(origin_of(request.url) == "http://shop.example", "no value reaches the host");
    require(!breaks_lines(request.url), "a URL is one line");
    std::size_t keys = 0;
    for (const auto& [name, value] : request.headers) {
        require(!name.empty() && !breaks_lines(name) && !breaks_lines(value),
                "a header is one line");
        require(name.find_first_of(" :\t") == std::string::npos, "a header's name is a token");
        require(!core::same_header_name(name, "Content-Length") &&
                    !core::same_header_name(name, "Transfer-Encoding") &&
                    !core::same_header_name(name, "Host"),
                "nobody sets a framing header");
        if (core::same_header_name(name, "Idempotency-Key")) {
            ++keys;
            require(value == key, "the idempotency key is ours");
        }
    }
    require(keys == 1, "there is one idempotency key");
    if (request.body) {
        require(json::parse(*request.body).has_value(), "a body is JSON");
    }
}

} // namespace

void request(std::string_view input)
{
    const auto parts = pieces(input, 2);
    const auto payloads = json::parse(parts[0]);
    if (!payloads) {
        return;
    }
    static const core::Destination destination{"pay", {make_route()}};
    const core::Route& route = destination.routes.front();
    const core::Event event = make_event(*payloads);

    const auto forward = core::build_forward(event, destination, route);
    if (forward) {
        check(*forward, event.uuid + ":pay");
        const core::Event stored = make_event(*json::parse(json::write(*payloads)));
        const auto again = core::build_forward(stored, destination, route);
        require(again && again->url == forward->url && again->body == forward->body &&
                    again->headers == forward->headers,
                "each attempt sends the same bytes");
    } else {
        require(!forward.error().text().empty(), "a request that is not made says why");
    }

    core::StepResult done;
    done.event_id = event.id;
    done.cause = event.id;
    done.destination = "pay";
    done.outcome = core::Outcome::succeeded;
    done.request = core::envelope_for(event, "pay").body;
    if (auto response = json::parse(parts[1])) {
        done.response = std::move(*response);
    }
    const auto revert = core::build_revert(event, event, done, *route.revert);
    if (revert) {
        require(done.response.has_value(), "what comes from the answer needs one");
        check(*revert, event.uuid + ":pay.revert");
        require(revert->url.size() > std::string_view("http://shop.example/undo/").size(),
                "no revert leaves without its reference");
    } else {
        require(!revert.error().text().empty(), "a revert that is not made says why");
    }
}

} // namespace sagabox::fuzz
