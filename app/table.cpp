#include "app/table.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace sagabox::app {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least_of_last = 10;

std::size_t terminal_width()
{
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

bool starts_character(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

std::size_t length_of(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string cut(const std::string& text, std::size_t length)
{
    if (length_of(text) <= length) {
        return text;
    }
    std::string out;
    std::size_t taken = 0;
    for (const char c : text) {
        taken += starts_character(c) ? 1U : 0U;
        if (taken >= length) {
            break;
        }
        out += c;
    }
    out += "…";
    return out;
}

} // namespace

std::string printable(const std::string& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t n) {
            return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0U;
        };
        const bool c1 = byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0;
        const bool mark =
            byte(0) == 0xE2 && ((byte(1) == 0x80 && ((byte(2) >= 0x8E && byte(2) <= 0x8F) ||
                                                     (byte(2) >= 0xAA && byte(2) <= 0xAE))) ||
                                (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9));
        const bool c0 = byte(0) < 0x20 || byte(0) == 0x7F;
        out += c0 || c1 || mark ? '?' : text[i];
        i += mark ? 3 : c1 ? 2 : 1;
    }
    return out;
}

Table::Table(std::vector<std::string> heads)
{
    add(std::move(heads));
}

void Table::add(std::vector<std::string> row)
{
    for (std::string& cell : row) {
        cell = printable(cell);
    }
    rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out) const
{
    const std::size_t columns = rows_.front().size();
    std::vector<std::size_t> widths(columns, 0);
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < columns; ++i) {
            widths[i] = std::max(widths[i], length_of(row[i]));
        }
    }
    std::size_t before_last = 0;
    for (std::size_t i = 0; i + 1 < columns; ++i) {
        before_last += widths[i] + gap;
    }
    const std::size_t width = terminal_width();
    if (width > 0) {
        const std::size_t left = width > before_last ? width - before_last : 0;
        widths.back() = std::max(left, least_of_last);
    }
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i + 1 < columns; ++i) {
            out << row[i] << std::string(widths[i] + gap - length_of(row[i]), ' ');
        }
        out << cut(row.back(), widths.back()) << '\n';
    }
}

} // namespace sagabox::app
