#include "shop/simulators.hpp"

#include "shop/draw.hpp"
#include "shop/fields.hpp"

#include <array>
#include <charconv>
#include <cstdio>

namespace shop {
namespace {

std::string hex(std::uint64_t number)
{
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
    return text.data();
}

std::string text_of(const Fields& fields, std::string_view name)
{
    const Fields::Field* field = fields.find(name);
    return field == nullptr ? std::string() : field->text;
}

std::string aggregate_of(const Request& request, const Fields& fields)
{
    for (const char* name : {"X-Revert-Aggregate-Id", "X-Aggregate-Id"}) {
        if (const std::string_view header = request.header(name); !header.empty()) {
            return std::string(header);
        }
    }
    return text_of(fields, "orderId");
}

bool is_odd(std::string_view aggregate)
{
    return !aggregate.empty() &&
           std::string_view("13579").find(aggregate.back()) != std::string_view::npos;
}

Json order_of(const Fields& fields, const Entry& entry)
{
    return fields.find("orderId") != nullptr ? fields.scalar("orderId") : Json(entry.aggregate);
}

Json answer_of(const Service& service, const Fields& fields, const Entry& entry,
               const std::string& id)
{
    std::vector<std::pair<std::string, Json>> members{{std::string(service.id_field), id},
                                                      {"orderId", order_of(fields, entry)}};
    if (service.action == "inventory.reserve") {
        members.emplace_back("warehouseId", is_odd(entry.aggregate) ? "WH-EAST" : "WH-WEST");
    } else if (service.action == "fraudCheck.check") {
        members.emplace_back("riskScore", is_odd(entry.aggregate) ? 75 : 25);
    } else if (service.leaves == "shipped") {
        members.emplace_back("customerId", fields.scalar("customerId"));
        members.emplace_back("shippingType", fields.scalar("shippingType"));
        members.emplace_back("trackingNumber", "TRACK-" + id);
    } else if (service.leaves == "charged") {
        if (service.action == "billing.charge") {
            members.emplace_back("transaction", Json::object({{"id", id}}));
        }
        members.emplace_back("amount", fields.scalar("amount"));
        members.emplace_back("currency", fields.scalar("currency"));
    }
    members.emplace_back("status", service.done);
    return Json::object(members);
}

Response failure(const Call& call)
{
    if (call.action() == "fraudCheck.check") {
        return problem(429, "The simulated service is busy.", {{"Retry-After", "1"}});
    }
    return problem(503, "The simulated service failed: " + std::string(call.action()) + ".");
}

// As payment providers have numbers of test cards: an order of this customer fails at its payment,
// without a race between placing the order and telling the simulator what to do with it.
bool is_declined(const Call& call, const Fields& fields)
{
    return call.direction == Call::Direction::forward && call.service->leaves == "charged" &&
           text_of(fields, "customerId") == Simulators::declined_customer;
}

template <class Number>
bool read_number(std::string_view text, Number& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

Simulators::Simulators(const std::map<std::string, double>& rates, std::uint64_t seed)
    : conditions_(seed)
{
    conditions_.set_failure_rates(rates);
}

void Simulators::set_rates(const std::map<std::string, double>& rates)
{
    const std::lock_guard lock(mutex_);
    conditions_.set_failure_rates(rates);
}

Simulators::MailAnswer Simulators::take_mail(TakenMail mail)
{
    static constexpr std::string_view action = "mail.smtp";
    const std::string recipient = mail.to.empty() ? std::string() : mail.to.front();
    std::chrono::milliseconds delay{};
    {
        const std::lock_guard lock(mutex_);
        delay = conditions_.latency(action);
        if (const std::optional<ScriptedAnswer> scripted = script_.take(action, recipient)) {
            delay += scripted->hang;
            if (!scripted->effect) {
                return {.taken = false, .delay = delay};
            }
        } else if (conditions_.turn_away(action, std::chrono::steady_clock::now()) ||
                   conditions_.fails(action, recipient)) {
            return {.taken = false, .delay = delay};
        }
    }
    mailbox_.take(std::move(mail));
    return {.taken = true, .delay = delay};
}

Response Simulators::handle(const Call& call, const Request& request)
{
    const bool forward = call.direction == Call::Direction::forward;
    const bool known = request.method == "POST" || request.method == "PUT" ||
                       (!forward && request.method == "DELETE");
    if (!known) {
        return method_not_allowed(forward ? "POST, PUT" : "DELETE, POST, PUT");
    }
    const std::optional<Fields> fields = Fields::read(request.body.empty() ? "{}" : request.body);
    if (!fields) {
        return problem(400, "The body is not a JSON object.");
    }
    const std::lock_guard lock(mutex_);
    std::string aggregate = aggregate_of(request, *fields);
    if (const Resource* made = forward ? nullptr : ledger_.find(call.id);
        made != nullptr && aggregate.empty()) {
        aggregate = made->aggregate;
    }
    Entry* entry = ledger_.arrive({.key = std::string(request.header("Idempotency-Key")),
                                   .action = call.action(),
                                   .aggregate = aggregate,
                                   .event = std::string(request.header("X-Event-Id")),
                                   .body_hash = stable_hash(request.body)});
    if (entry == nullptr) {
        return problem(503,
                       "The simulators' ledger is full; POST /api/simulators/reset makes room.");
    }
    const bool new_to_us = entry->effect_sequence == 0;
    Response response = decide(call, *fields, *entry);
    if (new_to_us && entry->effect_sequence != 0 && call.action().starts_with("mail.")) {
        take_http_mail(call, request);
    }
    entry->last_status = response.status;
    return response;
}

Response Simulators::decide(const Call& call, const Fields& fields, Entry& entry)
{
    if (call.mode == Call::Mode::fail) {
        return failure(call);
    }
    if (call.mode == Call::Mode::succeed) {
        return perform(call, fields, entry);
    }
    Response response = decide_by_conditions(call, fields, entry);
    response.delay += conditions_.latency(call.action());
    return response;
}

Response Simulators::decide_by_conditions(const Call& call, const Fields& fields, Entry& entry)
{
    if (const auto answer = script_.take(call.action(), entry.aggregate)) {
        return scripted(*answer, call, fields, entry);
    }
    if (const auto wait = conditions_.turn_away(call.action(), std::chrono::steady_clock::now())) {
        return problem(429, "The simulated service takes no more calls in this second.",
                       {{"Retry-After", std::to_string(wait->count())}});
    }
    if (is_declined(call, fields)) {
        return problem(402, "The customer's card is declined.");
    }
    if (entry.effect_sequence == 0 && conditions_.fails(call.action(), entry.aggregate)) {
        return failure(call);
    }
    return perform(call, fields, entry);
}

void Simulators::take_http_mail(const Call& call, const Request& request)
{
    const std::string_view provider = call.action().substr(call.action().find('.') + 1);
    if (std::optional<TakenMail> mail = read_http_mail(provider, request.body)) {
        mailbox_.take(std::move(*mail));
    }
}

Response Simulators::scripted(const ScriptedAnswer& answer, const Call& call, const Fields& fields,
                              Entry& entry)
{
    Response response;
    if (answer.effect) {
        response = perform(call, fields, entry);
    }
    const bool good = answer.status >= 200 && answer.status < 300;
    if (answer.status != 0 && good) {
        response.status = answer.status;
    } else if (answer.status != 0 || !answer.effect) {
        response = problem(answer.status == 0 ? 503 : answer.status,
                           "The simulated service answers by its script.");
    }
    if (!answer.retry_after.empty()) {
        response.headers.emplace_back("Retry-After", answer.retry_after);
    }
    response.delay = answer.hang;
    return response;
}

Response Simulators::perform(const Call& call, const Fields& fields, Entry& entry)
{
    if (entry.effect_sequence != 0) {
        Response again = json(200, Json::parsed(entry.answer));
        again.headers.emplace_back("Idempotent-Replayed", "true");
        return again;
    }
    return call.direction == Call::Direction::forward ? make(*call.service, fields, entry)
                                                      : undo(call, entry);
}

Response Simulators::make(const Service& service, const Fields& fields, Entry& entry)
{
    const std::string id = std::string(service.id_prefix) + "-" +
                           hex(stable_hash(entry.key, stable_hash(service.path)));
    const Json answer = answer_of(service, fields, entry, id);
    if (!service.leaves.empty()) {
        const bool money = service.leaves == "charged";
        ledger_.add(id, {.service = &service,
                         .aggregate = entry.aggregate,
                         .amount = money ? fields.scalar("amount").text() : ""});
    }
    ledger_.take_effect(entry, id, answer.text());
    return json(200, answer);
}

Response Simulators::undo(const Call& call, Entry& entry)
{
    Resource* made = ledger_.find(call.id);
    const bool ours = made != nullptr && made->service == call.service;
    if (call.mode != Call::Mode::succeed) {
        if (!ours) {
            return problem(404, "The simulated service has nothing of this id.");
        }
        if (!made->active) {
            return problem(410, "The simulated service has undone this already.");
        }
    }
    if (ours) {
        made->active = false;
    }
    const Json answer =
        Json::object({{call.service->id_field, call.id}, {"status", call.service->undone}});
    ledger_.take_effect(entry, call.id, answer.text());
    return json(200, answer);
}

Response Simulators::administer(const Request& request, std::string_view what)
{
    const std::string& method = request.method;
    if (what == "ledger") {
        return method == "GET" ? ledger(request) : method_not_allowed("GET");
    }
    if (what == "mailbox") {
        return method == "GET" ? json(200, mailbox_.read(request.query_value("to")))
                               : method_not_allowed("GET");
    }
    if (Conditions::knows(what)) {
        return conditions(request, what);
    }
    if (what == "script") {
        const std::lock_guard lock(mutex_);
        if (method == "PUT") {
            return script_.put(request.body);
        }
        return method == "GET" ? json(200, script_.read()) : method_not_allowed("GET, PUT");
    }
    if (what == "reset") {
        if (method != "POST") {
            return method_not_allowed("POST");
        }
        const std::lock_guard lock(mutex_);
        ledger_.reset();
        script_.reset();
        mailbox_.reset();
        conditions_.forget_draws();
        return json(200, Json::object({{"reset", true}}));
    }
    return problem(404, "There is nothing at this address.");
}

Response Simulators::ledger(const Request& request) const
{
    Ledger::Filter filter;
    if (const std::string_view text = request.query_value("aggregate"); !text.empty()) {
        filter.aggregate = text;
    }
    const std::string_view after = request.query_value("after");
    const std::string_view limit = request.query_value("limit");
    if ((!after.empty() && !read_number(after, filter.after)) ||
        (!limit.empty() && !read_number(limit, filter.limit))) {
        return problem(400, "after and limit are whole numbers.");
    }
    const std::lock_guard lock(mutex_);
    return json(200, ledger_.read(filter));
}

Response Simulators::conditions(const Request& request, std::string_view setting)
{
    const std::lock_guard lock(mutex_);
    if (request.method == "PUT") {
        return conditions_.put(setting, request.body);
    }
    return request.method == "GET" ? json(200, conditions_.read(setting))
                                   : method_not_allowed("GET, PUT");
}

} // namespace shop
