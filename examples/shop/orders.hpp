#pragma once

#include "shop/database.hpp"
#include "shop/message.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shop {

/// The orders of the shop over HTTP, under `/api/orders`. Each change and the event that tells of
/// it are one transaction.
class Orders {
public:
    explicit Orders(Database& database) : database_(database) {}

    /// Makes the table where it is missing; safe when several processes do so at once.
    void prepare();

    /// `path` is what `segments` gives, beginning with `api`, `orders`.
    Response handle(const Request& request, const std::vector<std::string_view>& path);

private:
    Response create(const Request& request);
    Response list(const Request& request);
    Response show(std::int64_t id);
    Response set_status(std::int64_t id, const Request& request);
    Response cancel(std::int64_t id);

    /// Hides the order. An order that was not cancelled is undone as well: nobody could do it
    /// later.
    Response remove(std::int64_t id);

    Database& database_;
};

} // namespace shop
