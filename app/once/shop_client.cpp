#include "app/once/shop_client.hpp"

#include "app/blocking.hpp"
#include "transport/http_client.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace sagabox::app::once {

namespace {

constexpr std::chrono::seconds call_timeout{10};

/// With a client of its own: a connection that is kept open would keep the context from running
/// out of work.
Task<transport::HttpAnswer> call_once(Executor executor, transport::HttpRequest request)
{
    transport::HttpClient client(executor, {});
    co_return co_await client.call(std::move(request));
}

json::Object object_of(std::vector<json::Object::Member> members)
{
    return json::Object::from_members(std::move(members));
}

} // namespace

ShopClient::ShopClient(asio::io_context& context, std::string url)
    : context_(context), url_(std::move(url))
{
}

Result<std::int64_t> ShopClient::place(const NewOrder& order)
{
    const Result<json::Value> placed = call("POST", "/api/orders",
                                            object_of({{"customerId", order.customer},
                                                       {"totalAmount", json::Number{order.amount}},
                                                       {"shippingType", to_label(order.parcel)}}));
    if (!placed) {
        return fail(placed.error());
    }
    const json::Value* id = placed->find("id");
    const json::Number* number = id == nullptr ? nullptr : id->as_number();
    std::int64_t value = 0;
    if (number != nullptr) {
        const std::string& digits = number->digits;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    }
    if (value <= 0) {
        return fail(Fault::Kind::refused, "The shop placed an order and gave no id for it.");
    }
    return value;
}

Result<void> ShopClient::set_status(std::int64_t order, std::string_view status)
{
    const Result<json::Value> answer =
        call("PUT", fmt::format("/api/orders/{}/status", order), object_of({{"status", status}}));
    return answer ? Result<void>() : fail(answer.error());
}

Result<void> ShopClient::cancel(std::int64_t order)
{
    const Result<json::Value> answer = call("DELETE", fmt::format("/api/orders/{}/cancel", order));
    return answer ? Result<void>() : fail(answer.error());
}

Result<std::string> ShopClient::order_status(std::int64_t order)
{
    const Result<json::Value> answer = call("GET", fmt::format("/api/orders/{}", order));
    if (!answer) {
        return fail(answer.error());
    }
    const json::Value* status = answer->find("orderStatus");
    const std::string* text = status == nullptr ? nullptr : status->as_string();
    return text == nullptr ? std::string() : *text;
}

Result<void> ShopClient::script(std::string_view action, std::int64_t order, json::Object answer)
{
    json::Array answers;
    answers.emplace_back(std::move(answer));
    const Result<json::Value> put = call("PUT", "/api/simulators/script",
                                         object_of({{"service", action},
                                                    {"aggregateId", std::to_string(order)},
                                                    {"answers", std::move(answers)}}));
    return put ? Result<void>() : fail(put.error());
}

Result<Ledger> ShopClient::ledger(std::int64_t order)
{
    const Result<json::Value> answer =
        call("GET", fmt::format("/api/simulators/ledger?aggregate={}", order));
    if (!answer) {
        return fail(answer.error());
    }
    return read_ledger(*answer, std::to_string(order));
}

Result<json::Value> ShopClient::call(std::string_view method, std::string_view path,
                                     const std::optional<json::Value>& body)
{
    transport::HttpRequest request;
    request.method = method;
    request.url = url_ + std::string(path);
    request.timeout = call_timeout;
    if (body) {
        request.headers.emplace_back("Content-Type", "application/json");
        request.body = json::write(*body);
    }
    const transport::HttpAnswer answer =
        run_blocking(context_, call_once(context_.get_executor(), std::move(request)));
    if (answer.delivery != transport::HttpAnswer::Delivery::answered) {
        return fail(Fault::Kind::connection,
                    fmt::format("The shop did not answer {} {}: {}", method, path, answer.error));
    }
    if (answer.status < 200 || answer.status > 299) {
        return fail(Fault::Kind::refused, fmt::format("The shop answered {} {} with {}: {}", method,
                                                      path, answer.status, answer.body));
    }
    return json::parse(answer.body);
}

} // namespace sagabox::app::once
