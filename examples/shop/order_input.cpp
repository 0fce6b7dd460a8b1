#include "shop/order_input.hpp"

#include "shop/fields.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <strings.h>

namespace shop {
namespace {

constexpr std::size_t largest_body = 64 << 10;
constexpr std::size_t longest_customer_id = 255;
constexpr std::array<std::string_view, 6> statuses{"PENDING", "CONFIRMED", "PROCESSING",
                                                   "SHIPPED", "DELIVERED", "COMPLETED"};

bool is_json_type(std::string_view type)
{
    type = type.substr(0, type.find(';'));
    while (type.ends_with(' ')) {
        type.remove_suffix(1);
    }
    constexpr std::string_view wanted = "application/json";
    return type.size() == wanted.size() &&
           strncasecmp(type.data(), wanted.data(), wanted.size()) == 0;
}

std::variant<Fields, Response> read_fields(const Request& request)
{
    if (!is_json_type(request.header("Content-Type"))) {
        return problem(415,
                       "Send the body as JSON, with the header Content-Type: application/json.");
    }
    if (request.body.size() > largest_body) {
        return problem(413, "The body is longer than 65536 bytes.");
    }
    std::optional<Fields> fields = Fields::read(request.body);
    if (!fields) {
        return problem(400, "The body is not a JSON object.");
    }
    return *std::move(fields);
}

bool has_control_character(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        // U+0080 to U+009F are control characters too: C2 80 to C2 9F in UTF-8.
        const bool second_set =
            byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (byte < 0x20 || byte == 0x7F || second_set) {
            return true;
        }
    }
    return false;
}

std::size_t characters(std::string_view utf8)
{
    return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

std::string fault_of_customer(const Fields::Field* field)
{
    if (field == nullptr) {
        return "customerId is missing.";
    }
    if (field->kind != Fields::Kind::text) {
        return "customerId must be text.";
    }
    const std::size_t length = characters(field->text);
    if (length < 1 || length > longest_customer_id) {
        return "customerId must have 1 to 255 characters.";
    }
    return has_control_character(field->text) ? "customerId must not hold control characters." : "";
}

// Digit by digit: a detour by a binary number would take 9999999999.995 for 9999999999.99.
std::string fault_of_amount(const Fields::Field* field)
{
    if (field == nullptr) {
        return "totalAmount is missing.";
    }
    if (field->kind == Fields::Kind::other) {
        return "totalAmount must be a number or a number in text.";
    }
    const std::string_view text = field->text;
    if (text.starts_with('-')) {
        return "totalAmount must be more than 0.";
    }
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view cents = point == std::string_view::npos ? "0" : text.substr(point + 1);
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!digits(whole) || !digits(cents) || (whole.size() > 1 && whole.front() == '0')) {
        return "totalAmount must be a plain decimal such as 100.10.";
    }
    if (cents.size() > 2) {
        return "totalAmount must have at most 2 decimal places.";
    }
    if (whole.size() > 10) {
        return "totalAmount must be at most 9999999999.99.";
    }
    return text.find_first_of("123456789") == std::string_view::npos
               ? "totalAmount must be more than 0."
               : "";
}

std::string fault_of_shipping(const Fields::Field* field)
{
    if (field == nullptr) {
        return "shippingType is missing.";
    }
    if (field->kind != Fields::Kind::text ||
        (field->text != "domestic" && field->text != "international")) {
        return "shippingType must be domestic or international.";
    }
    return "";
}

} // namespace

std::variant<NewOrder, Response> read_order(const Request& request)
{
    auto read = read_fields(request);
    if (auto* refusal = std::get_if<Response>(&read)) {
        return std::move(*refusal);
    }
    const auto& fields = std::get<Fields>(read);
    std::string faults;
    for (const std::string& fault :
         {fault_of_customer(fields.find("customerId")), fault_of_amount(fields.find("totalAmount")),
          fault_of_shipping(fields.find("shippingType"))}) {
        faults += (faults.empty() || fault.empty() ? "" : " ") + fault;
    }
    if (!faults.empty()) {
        return problem(422, faults);
    }
    return NewOrder{.customer_id = fields.find("customerId")->text,
                    .total_amount = fields.find("totalAmount")->text,
                    .shipping_type = fields.find("shippingType")->text};
}

std::variant<std::string, Response> read_status(const Request& request)
{
    auto read = read_fields(request);
    if (auto* refusal = std::get_if<Response>(&read)) {
        return std::move(*refusal);
    }
    const Fields::Field* field = std::get<Fields>(read).find("status");
    if (field == nullptr) {
        return problem(422, "status is missing.");
    }
    if (field->text == "CANCELLED") {
        return problem(422, "An order is cancelled by DELETE /api/orders/:id/cancel.");
    }
    if (field->kind != Fields::Kind::text ||
        std::find(statuses.begin(), statuses.end(), field->text) == statuses.end()) {
        return problem(422, "status must be PENDING, CONFIRMED, PROCESSING, SHIPPED, DELIVERED or "
                            "COMPLETED.");
    }
    return field->text;
}

} // namespace shop
