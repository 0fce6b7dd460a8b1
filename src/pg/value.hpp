#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::pg {

/// A statement of `sql/queries`: its name is its prepared name, its log name and its metric label.
struct Statement {
    std::string_view name;
    std::string_view text;
};

/// Parameters of one execution, in order, in PostgreSQL's text format; an empty optional is NULL.
/// Types come from the casts in the statement's text.
class Params {
public:
    Params& text(std::string_view value);
    Params& text(const std::string& value) { return text(std::string_view(value)); }
    Params& text(const char* value) { return text(std::string_view(value)); }
    Params& text(const std::optional<std::string>& value);
    Params& integer(std::int64_t value);
    Params& null();

    /// An array of `bigint`, `int`, `text`, … written as PostgreSQL's array literal. An empty
    /// optional inside is a NULL element.
    Params& integers(std::span<const std::int64_t> values);
    Params& texts(std::span<const std::string> values);
    Params& texts(std::span<const std::optional<std::string>> values);

    [[nodiscard]] const std::vector<std::optional<std::string>>& values() const { return values_; }

private:
    std::vector<std::optional<std::string>> values_;
};

/// The rows of one statement, read by column number. Owns its memory.
class Rows {
public:
    Rows() = default;

    [[nodiscard]] std::size_t size() const { return rows_; }
    [[nodiscard]] bool empty() const { return rows_ == 0; }
    [[nodiscard]] std::size_t columns() const { return columns_; }

    [[nodiscard]] bool is_null(std::size_t row, std::size_t column) const;
    /// Empty for NULL.
    [[nodiscard]] std::string_view text(std::size_t row, std::size_t column) const;
    /// 0 for NULL. A value that is no integer is a bug of ours.
    [[nodiscard]] std::int64_t integer(std::size_t row, std::size_t column) const;
    [[nodiscard]] bool boolean(std::size_t row, std::size_t column) const;

    /// Rows that an insert, update or delete touched.
    [[nodiscard]] std::size_t affected() const { return affected_; }

    /// For the connection, which fills it.
    struct Builder;

private:
    struct Field {
        std::size_t begin = 0;
        std::size_t length = 0;
        bool null = true;
    };
    std::string bytes_;
    std::vector<Field> fields_;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::size_t affected_ = 0;
};

} // namespace sagabox::pg
