#include "pg/rows_builder.hpp"

#include <charconv>

namespace sagabox::pg {

namespace {

std::size_t affected_rows(const PGresult& result)
{
    // libpq takes the result without const and leaves it as it is.
    const std::string_view tag = PQcmdTuples(const_cast<PGresult*>(&result));
    std::size_t count = 0;
    std::from_chars(tag.data(), tag.data() + tag.size(), count);
    return count;
}

} // namespace

Rows Rows::Builder::copy(const PGresult& result)
{
    Rows rows;
    const int row_count = PQntuples(&result);
    const int column_count = PQnfields(&result);
    rows.rows_ = static_cast<std::size_t>(row_count);
    rows.columns_ = static_cast<std::size_t>(column_count);
    rows.affected_ = affected_rows(result);

    std::size_t size = 0;
    for (int row = 0; row < row_count; ++row) {
        for (int column = 0; column < column_count; ++column) {
            size += static_cast<std::size_t>(PQgetlength(&result, row, column));
        }
    }
    rows.bytes_.reserve(size);
    rows.fields_.reserve(rows.rows_ * rows.columns_);
    for (int row = 0; row < row_count; ++row) {
        for (int column = 0; column < column_count; ++column) {
            const auto length = static_cast<std::size_t>(PQgetlength(&result, row, column));
            rows.fields_.push_back({.begin = rows.bytes_.size(),
                                    .length = length,
                                    .null = PQgetisnull(&result, row, column) == 1});
            rows.bytes_.append(PQgetvalue(&result, row, column), length);
        }
    }
    return rows;
}

} // namespace sagabox::pg
