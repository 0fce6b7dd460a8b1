#include "json/decimal.hpp"

#include <algorithm>
#include <cstdint>

namespace sagabox::json {

namespace {

using Length = std::int64_t;

// PostgreSQL's numeric, as jsonb stores it: the weight is 16 bits of groups of four digits, the
// scale 14 bits. An exponent from half of INT_MAX on is refused even where the digits are all zero.
constexpr Length max_integer_digits = 131'072;
constexpr Length max_fraction_digits = 16'383;
constexpr Length exponent_limit = 1'073'741'823;

/// A number's spelling, cut at its point and its `e`.
struct Spelling {
    bool negative = false;
    std::string_view integer;
    std::string_view fraction;
    Length exponent = 0;
};

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& rest)
{
    std::size_t n = 0;
    while (n < rest.size() && is_digit(rest[n])) {
        ++n;
    }
    const std::string_view digits = rest.substr(0, n);
    rest.remove_prefix(n);
    return digits;
}

bool take(std::string_view& rest, char c)
{
    if (!rest.starts_with(c)) {
        return false;
    }
    rest.remove_prefix(1);
    return true;
}

std::optional<Length> take_exponent(std::string_view& rest)
{
    const bool negative = take(rest, '-');
    if (!negative) {
        take(rest, '+');
    }
    const std::string_view digits = take_digits(rest);
    if (digits.empty()) {
        return std::nullopt;
    }
    Length value = 0;
    for (const char c : digits) {
        value = std::min(value * 10 + (c - '0'), exponent_limit);
    }
    return negative ? -value : value;
}

std::optional<Spelling> read(std::string_view rest)
{
    Spelling number;
    number.negative = take(rest, '-');
    number.integer = take_digits(rest);
    if (number.integer.empty() || (number.integer.size() > 1 && number.integer.front() == '0')) {
        return std::nullopt;
    }
    if (take(rest, '.')) {
        number.fraction = take_digits(rest);
        if (number.fraction.empty()) {
            return std::nullopt;
        }
    }
    if (take(rest, 'e') || take(rest, 'E')) {
        const std::optional<Length> exponent = take_exponent(rest);
        if (!exponent) {
            return std::nullopt;
        }
        number.exponent = *exponent;
    }
    return rest.empty() ? std::optional(number) : std::nullopt;
}

/// Puts the digits around a point that stands after `integer_digits` of them, or before them all
/// where that is negative.
void append_placed(std::string& out, std::string_view digits, Length integer_digits)
{
    const Length count = static_cast<Length>(digits.size());
    if (integer_digits <= 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-integer_digits), '0');
        out += digits;
    } else if (integer_digits >= count) {
        out += digits;
        out.append(static_cast<std::size_t>(integer_digits - count), '0');
    } else {
        out += digits.substr(0, static_cast<std::size_t>(integer_digits));
        out += '.';
        out += digits.substr(static_cast<std::size_t>(integer_digits));
    }
}

std::string_view without_trailing_zeros(std::string_view digits)
{
    const std::size_t last = digits.find_last_not_of('0');
    return digits.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::strong_ordering compare_magnitudes(const Spelling& a, const Spelling& b)
{
    if (const auto longer = a.integer.size() <=> b.integer.size(); longer != 0) {
        return longer;
    }
    if (const int order = a.integer.compare(b.integer); order != 0) {
        return order <=> 0;
    }
    return without_trailing_zeros(a.fraction).compare(without_trailing_zeros(b.fraction)) <=> 0;
}

bool is_zero(const Spelling& number)
{
    return number.integer == "0" && without_trailing_zeros(number.fraction).empty();
}

/// Cuts a canonical number, which needs no second check of its grammar.
Spelling cut(std::string_view canonical)
{
    Spelling number;
    number.negative = take(canonical, '-');
    const std::size_t point = canonical.find('.');
    number.integer = canonical.substr(0, point);
    if (point != std::string_view::npos) {
        number.fraction = canonical.substr(point + 1);
    }
    return number;
}

} // namespace

std::optional<std::string> canonical_number(std::string_view text)
{
    const std::optional<Spelling> number = read(text);
    if (!number || number->exponent >= exponent_limit || number->exponent <= -exponent_limit) {
        return std::nullopt;
    }
    const bool zero = is_zero(*number);
    const Length written_fraction = static_cast<Length>(number->fraction.size());
    const Length fraction_digits = std::max<Length>(0, written_fraction - number->exponent);
    if (fraction_digits > max_fraction_digits) {
        return std::nullopt;
    }
    if (zero) {
        std::string out = "0";
        if (fraction_digits > 0) {
            out += '.';
            out.append(static_cast<std::size_t>(fraction_digits), '0');
        }
        return out;
    }
    if (number->exponent == 0) {
        if (static_cast<Length>(number->integer.size()) > max_integer_digits) {
            return std::nullopt;
        }
        return std::string(text.substr(0, text.find_first_of("eE")));
    }

    std::string digits;
    digits.reserve(number->integer.size() + number->fraction.size());
    digits += number->integer;
    digits += number->fraction;
    const std::size_t leading_zeros = digits.find_first_not_of('0');
    const Length integer_digits = static_cast<Length>(number->integer.size()) + number->exponent -
                                  static_cast<Length>(leading_zeros);
    if (integer_digits > max_integer_digits) {
        return std::nullopt;
    }
    std::string out(number->negative ? "-" : "");
    append_placed(out, std::string_view(digits).substr(leading_zeros), integer_digits);
    return out;
}

std::strong_ordering compare_numbers(std::string_view a, std::string_view b)
{
    const Spelling left = cut(a);
    const Spelling right = cut(b);
    if (left.negative != right.negative) {
        return left.negative ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    return left.negative ? compare_magnitudes(right, left) : compare_magnitudes(left, right);
}

} // namespace sagabox::json
