#pragma once

#include "core/saga.hpp"
#include "pg/value.hpp"

#include <cstddef>

namespace sagabox::store {

/// A column of PostgreSQL's `extract(epoch …) * 1000000`.
[[nodiscard]] DbTime read_time(const pg::Rows& rows, std::size_t row, std::size_t column);

/// A jsonb column; null for NULL, and for a document that goes beyond our own bounds.
[[nodiscard]] json::Value read_json(const pg::Rows& rows, std::size_t row, std::size_t column);

/// The first columns of `load_events` and `load_story`, up to `deaths`.
[[nodiscard]] core::Event read_event(const pg::Rows& rows, std::size_t row);

/// A row of `load_results`.
[[nodiscard]] core::StepResult read_result(const pg::Rows& rows, std::size_t row);

} // namespace sagabox::store
