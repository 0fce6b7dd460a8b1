#include "sagabox/client.hpp"

#include <stdexcept>

namespace sagabox::client {
namespace {

// A C string ends at the first NUL: libpq would send what stands before it, and nobody would
// notice.
void refuse_nul(const std::string& text, const char* name)
{
    if (text.find('\0') != std::string::npos) {
        throw std::invalid_argument(std::string("Event text holds U+0000, remove it: ") + name);
    }
}

void check(const Event& event)
{
    if (event.aggregate_id.empty()) {
        throw std::invalid_argument("Event has no aggregate id, set aggregate_id");
    }
    if (event.type.empty()) {
        throw std::invalid_argument("Event has no type, set type");
    }
    refuse_nul(event.aggregate_id, "aggregate_id");
    refuse_nul(event.type, "type");
    refuse_nul(event.idempotency_key.value_or(""), "idempotency_key");
}

} // namespace

Event cancel(std::string aggregate_id, std::string_view type)
{
    return {.aggregate_id = std::move(aggregate_id), .type = "!" + std::string(type)};
}

std::int64_t emit(pqxx::transaction_base& transaction, const Event& event)
{
    check(event);
    std::optional<std::string> micros;
    if (event.not_before) {
        micros = std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(
                                    event.not_before->time_since_epoch())
                                    .count());
    }
    const char* const key = event.idempotency_key ? event.idempotency_key->c_str() : nullptr;
    // Counted from the epoch rather than written as a date: no time zone or date style takes part.
    return transaction
        .exec_params1(
            "select outbox_emit($1::text, $2::text, $3::jsonb, $4::text, "
            "timestamptz '1970-01-01 00:00:00+00' + $5::bigint * interval '1 microsecond')",
            event.aggregate_id, event.type, event.payloads.json(), key,
            micros ? micros->c_str() : nullptr)[0]
        .as<std::int64_t>();
}

} // namespace sagabox::client
