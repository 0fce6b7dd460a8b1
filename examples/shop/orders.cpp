#include "shop/orders.hpp"

#include "sagabox/client.hpp"
#include "shop/confirmation.hpp"
#include "shop/order_input.hpp"

#include <charconv>
#include <limits>
#include <optional>

namespace shop {
namespace {

namespace client = sagabox::client;

constexpr int largest_page = 500;

const std::string columns =
    "id, customer_id, total_amount, shipping_type, order_status, "
    "to_char(created_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), "
    "to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";

std::string_view text(const pqxx::row& row, pqxx::row::size_type column)
{
    return {row[column].c_str(), row[column].size()};
}

Json order_json(const pqxx::row& row)
{
    return Json::object({{"id", Json::number(text(row, 0))},
                         {"customerId", text(row, 1)},
                         {"totalAmount", Json::number(text(row, 2))},
                         {"shippingType", text(row, 3)},
                         {"orderStatus", text(row, 4)},
                         {"createdAt", text(row, 5)},
                         {"updatedAt", text(row, 6)}});
}

client::Event created_event(const NewOrder& order, std::int64_t id)
{
    const Json amount = Json::number(order.total_amount);
    client::Payloads payloads;
    payloads
        .to("inventory", Json::object({{"orderId", id},
                                       {"totalAmount", amount},
                                       {"shippingType", order.shipping_type},
                                       {"customerId", order.customer_id}}))
        .to("fraudCheck",
            Json::object(
                {{"orderId", id}, {"customerId", order.customer_id}, {"totalAmount", amount}}))
        .to("shipping", Json::object({{"customerId", order.customer_id},
                                      {"shippingType", order.shipping_type},
                                      {"orderId", id},
                                      {"totalAmount", amount}}))
        .to("billing", Json::object({{"orderId", id},
                                     {"amount", amount},
                                     {"currency", "USD"},
                                     {"customerId", order.customer_id}}));
    return {.aggregate_id = std::to_string(id),
            .type = "OrderCreated",
            .payloads = std::move(payloads)};
}

Response unknown_order(std::int64_t id)
{
    return problem(404, "There is no order " + std::to_string(id) + ".");
}

template <class Number>
std::optional<Number> read_number(std::string_view text)
{
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 1) {
        return std::nullopt;
    }
    return number;
}

/// The order's status, with its row locked until the transaction ends; none where there is no
/// order.
std::optional<std::string> lock_order(pqxx::transaction_base& tx, std::int64_t id)
{
    const pqxx::result found = tx.exec_params(
        "select order_status from orders where id = $1 and not deleted for update", id);
    return found.empty() ? std::nullopt : std::optional(found[0][0].as<std::string>());
}

} // namespace

void Orders::prepare()
{
    database_.transact([](pqxx::work& tx) {
        // Two processes that both find no table would both make it, and one would fail.
        tx.exec("select pg_advisory_xact_lock(hashtext('sagabox demo shop'))");
        tx.exec(R"(
create table if not exists orders (
    id            bigserial primary key,
    customer_id   text not null,
    total_amount  numeric(12, 2) not null constraint an_order_costs_something check (total_amount > 0),
    shipping_type text not null constraint shipping_is_domestic_or_international
                      check (shipping_type in ('domestic', 'international')),
    order_status  text not null default 'PENDING',
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    deleted       boolean not null default false
);
create or replace function orders_touch() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    return new;
end
$$;
do $$
begin
    if not exists (select from pg_trigger
                   where tgname = 'orders_touch' and tgrelid = 'orders'::regclass) then
        create trigger orders_touch before update on orders
            for each row execute function orders_touch();
    end if;
end
$$;
)");
        tx.exec(confirmation_sql);
    });
}

Response Orders::handle(const Request& request, const std::vector<std::string_view>& path)
{
    if (path.size() == 2) {
        if (request.method == "POST") {
            return create(request);
        }
        return request.method == "GET" ? list(request) : method_not_allowed("GET, POST");
    }
    const std::optional<std::int64_t> id = read_number<std::int64_t>(path[2]);
    if (!id) {
        return problem(400, "An order's id is a whole number above 0.");
    }
    if (path.size() == 3) {
        if (request.method == "GET") {
            return show(*id);
        }
        return request.method == "DELETE" ? remove(*id) : method_not_allowed("GET, DELETE");
    }
    if (path.size() == 4 && path[3] == "status") {
        return request.method == "PUT" ? set_status(*id, request) : method_not_allowed("PUT");
    }
    if (path.size() == 4 && path[3] == "cancel") {
        return request.method == "DELETE" ? cancel(*id) : method_not_allowed("DELETE");
    }
    return problem(404, "There is nothing at this address.");
}

Response Orders::create(const Request& request)
{
    auto read = read_order(request);
    if (auto* refusal = std::get_if<Response>(&read)) {
        return std::move(*refusal);
    }
    const auto& order = std::get<NewOrder>(read);
    std::optional<Json> created;
    std::int64_t id = 0;
    database_.transact([&](pqxx::work& work) {
        client::with_event_factory(
            work,
            [&](pqxx::transaction_base& tx) {
                const pqxx::row row =
                    tx.exec_params1("insert into orders (customer_id, total_amount, shipping_type) "
                                    "values ($1, $2::numeric, $3) returning " +
                                        columns,
                                    order.customer_id, order.total_amount, order.shipping_type);
                created = order_json(row);
                id = row[0].as<std::int64_t>();
                return id;
            },
            [&](std::int64_t order_id) { return created_event(order, order_id); });
    });
    Response response = json(201, *created);
    response.headers.emplace_back("Location", "/api/orders/" + std::to_string(id));
    return response;
}

Response Orders::list(const Request& request)
{
    int limit = 50;
    if (const std::string_view text = request.query_value("limit"); !text.empty()) {
        const std::optional<int> number = read_number<int>(text);
        if (!number || *number > largest_page) {
            return problem(400, "limit must be a whole number from 1 to 500.");
        }
        limit = *number;
    }
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    if (const std::string_view text = request.query_value("before"); !text.empty()) {
        const std::optional<std::int64_t> number = read_number<std::int64_t>(text);
        if (!number) {
            return problem(400, "before must be an order's id.");
        }
        before = *number;
    }
    std::vector<Json> orders;
    database_.transact([&](pqxx::work& tx) {
        orders.clear();
        for (const pqxx::row& row : tx.exec_params("select " + columns +
                                                       " from orders where not deleted and id < $1 "
                                                       "order by id desc limit $2",
                                                   before, limit)) {
            orders.push_back(order_json(row));
        }
    });
    return json(200, Json::object({{"orders", Json::array(orders)}}));
}

Response Orders::show(std::int64_t id)
{
    std::optional<Json> order;
    database_.transact([&](pqxx::work& tx) {
        const pqxx::result found =
            tx.exec_params("select " + columns + " from orders where id = $1 and not deleted", id);
        order = found.empty() ? std::nullopt : std::optional(order_json(found[0]));
    });
    return order ? json(200, *order) : unknown_order(id);
}

Response Orders::set_status(std::int64_t id, const Request& request)
{
    auto read = read_status(request);
    if (auto* refusal = std::get_if<Response>(&read)) {
        return std::move(*refusal);
    }
    const auto& status = std::get<std::string>(read);
    Response response;
    database_.transact([&](pqxx::work& work) {
        const std::optional<std::string> previous = lock_order(work, id);
        if (!previous) {
            response = unknown_order(id);
            return;
        }
        if (*previous == "CANCELLED") {
            response = problem(409, "This order is cancelled; its status no longer changes.");
            return;
        }
        if (*previous != status) {
            // A key of its own for each change: by the default key the second change of a minute
            // would be taken for a repetition of the first.
            const auto key = work.exec1("select gen_random_uuid()")[0].as<std::string>();
            const client::Event event{
                .aggregate_id = std::to_string(id),
                .type = "OrderStatusUpdated",
                .payloads = client::Payloads().to(
                    "notifications",
                    Json::object(
                        {{"orderId", id}, {"newStatus", status}, {"previousStatus", *previous}})),
                .idempotency_key = "order:" + std::to_string(id) + ":status:" + key};
            client::with_event(work, event, [&](pqxx::transaction_base& tx) {
                tx.exec_params0("update orders set order_status = $2 where id = $1", id, status);
            });
        }
        response = json(200, Json::object({{"id", id},
                                           {"orderStatus", status},
                                           {"previousStatus", *previous},
                                           {"changed", *previous != status}}));
    });
    return response;
}

Response Orders::cancel(std::int64_t id)
{
    Response response;
    database_.transact([&](pqxx::work& work) {
        const std::optional<std::string> previous = lock_order(work, id);
        if (!previous) {
            response = unknown_order(id);
            return;
        }
        // A second cancel is emitted like the first. That it undoes nothing twice is the engine's
        // promise, which the demo is there to show.
        client::with_event(
            work, client::cancel(std::to_string(id), "OrderCreated"),
            [&](pqxx::transaction_base& tx) {
                tx.exec_params0("update orders set order_status = 'CANCELLED' where id = $1", id);
            });
        const bool again = *previous == "CANCELLED";
        response = json(200, Json::object({{"id", id},
                                           {"orderStatus", "CANCELLED"},
                                           {"alreadyCancelled", again},
                                           {"message", again ? "The order was cancelled already."
                                                             : "The order is cancelled."}}));
    });
    return response;
}

Response Orders::remove(std::int64_t id)
{
    Response response;
    database_.transact([&](pqxx::work& work) {
        const std::optional<std::string> status = lock_order(work, id);
        if (!status) {
            response = unknown_order(id);
            return;
        }
        work.exec_params0("update orders set deleted = true where id = $1", id);
        if (*status != "CANCELLED") {
            client::emit(work, client::cancel(std::to_string(id), "OrderCreated"));
        }
        response = json(200, Json::object({{"id", id}, {"deleted", true}}));
    });
    return response;
}

} // namespace shop
