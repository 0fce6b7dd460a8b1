#pragma once

namespace shop {

/// SQL that makes `order_confirmation(id)`: the letter that tells a customer that an order is
/// confirmed, with a small PDF, in the form that `outbox_emit_email` takes.
///
/// A function in the database, since the order is confirmed there: in the very transaction that
/// ends its saga.
extern const char* const confirmation_sql;

} // namespace shop
