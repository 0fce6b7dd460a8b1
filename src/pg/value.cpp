#include "pg/value.hpp"

#include "base/invariant.hpp"

#include <charconv>
#include <utility>

namespace sagabox::pg {

namespace {

/// Room for a sign and the 19 digits of a bigint.
constexpr std::size_t integer_room = 20;

void append_integer(std::string& out, std::int64_t value)
{
    char digits[integer_room];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    SAGABOX_INVARIANT(error == std::errc{}, "a number would be cut");
    out.append(digits, end);
}

// Always quoted: unquoted, an empty string, the word NULL, blanks, commas and braces would all mean
// something else.
void append_element(std::string& out, std::string_view value)
{
    out += '"';
    std::size_t from = 0;
    for (;;) {
        const std::size_t special = value.find_first_of("\"\\", from);
        if (special == std::string_view::npos) {
            break;
        }
        out.append(value, from, special - from);
        out += '\\';
        out += value[special];
        from = special + 1;
    }
    out.append(value, from);
    out += '"';
}

void append_element(std::string& out, const std::string& value)
{
    append_element(out, std::string_view(value));
}

void append_element(std::string& out, const std::optional<std::string>& value)
{
    if (value) {
        append_element(out, std::string_view(*value));
    } else {
        out += "NULL";
    }
}

std::size_t room_for(const std::string& value)
{
    return value.size() + 3;
}

std::size_t room_for(const std::optional<std::string>& value)
{
    return value ? value->size() + 3 : 5;
}

template <class Text>
std::string text_array(std::span<const Text> values)
{
    std::size_t room = 2;
    for (const Text& value : values) {
        room += room_for(value);
    }
    std::string out;
    out.reserve(room);
    out += '{';
    for (const Text& value : values) {
        if (out.size() > 1) {
            out += ',';
        }
        append_element(out, value);
    }
    out += '}';
    return out;
}

} // namespace

Params& Params::text(std::string_view value)
{
    values_.emplace_back(std::in_place, value);
    return *this;
}

Params& Params::text(const std::optional<std::string>& value)
{
    values_.push_back(value);
    return *this;
}

Params& Params::integer(std::int64_t value)
{
    append_integer(values_.emplace_back(std::in_place).value(), value);
    return *this;
}

Params& Params::null()
{
    values_.emplace_back();
    return *this;
}

Params& Params::integers(std::span<const std::int64_t> values)
{
    std::string out;
    out.reserve(2 + values.size() * 8);
    out += '{';
    for (const std::int64_t value : values) {
        if (out.size() > 1) {
            out += ',';
        }
        append_integer(out, value);
    }
    out += '}';
    values_.emplace_back(std::move(out));
    return *this;
}

Params& Params::texts(std::span<const std::string> values)
{
    values_.emplace_back(text_array(values));
    return *this;
}

Params& Params::texts(std::span<const std::optional<std::string>> values)
{
    values_.emplace_back(text_array(values));
    return *this;
}

bool Rows::is_null(std::size_t row, std::size_t column) const
{
    SAGABOX_INVARIANT(row < rows_ && column < columns_, "a field that the statement did not give");
    return fields_[row * columns_ + column].null;
}

std::string_view Rows::text(std::size_t row, std::size_t column) const
{
    SAGABOX_INVARIANT(row < rows_ && column < columns_, "a field that the statement did not give");
    const Field& field = fields_[row * columns_ + column];
    return std::string_view(bytes_).substr(field.begin, field.length);
}

std::int64_t Rows::integer(std::size_t row, std::size_t column) const
{
    const std::string_view digits = text(row, column);
    if (digits.empty()) {
        SAGABOX_INVARIANT(is_null(row, column), "an empty text is read as a number");
        return 0;
    }
    std::int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [read, error] = std::from_chars(digits.data(), end, value);
    SAGABOX_INVARIANT(error == std::errc{} && read == end, "a text is read as a number");
    return value;
}

bool Rows::boolean(std::size_t row, std::size_t column) const
{
    const std::string_view word = text(row, column);
    SAGABOX_INVARIANT(is_null(row, column) || word == "t" || word == "f",
                      "a value is read as a boolean");
    return word == "t";
}

} // namespace sagabox::pg
