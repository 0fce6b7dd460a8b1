#include "mail/date.hpp"

#include <array>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

namespace sagabox::mail {

std::string to_date(DbTime moment)
{
    // Not by locale: the names are the protocol's.
    static constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed",
                                                          "Thu", "Fri", "Sat"};
    static constexpr std::array<std::string_view, 12> months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::chrono::sys_time<std::chrono::microseconds> at(moment.since_epoch);
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at - day));
    return fmt::format(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} +0000",
        days.at(std::chrono::weekday(day).c_encoding()), static_cast<unsigned>(date.day()),
        months.at(static_cast<unsigned>(date.month()) - 1), static_cast<int>(date.year()),
        time.hours().count(), time.minutes().count(), time.seconds().count());
}

} // namespace sagabox::mail
