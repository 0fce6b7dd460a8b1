#include "core/moment.hpp"

#include <algorithm>
#include <array>

namespace sagabox::core {
namespace {

/// Every request carries a time, and a format string would cost more than the rest of the header.
void put_digits(std::string& text, std::size_t at, std::size_t width, unsigned value)
{
    for (std::size_t i = at + width; i > at; --i) {
        text[i - 1] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
}

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> days{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 7> long_days{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                    "Friday", "Saturday", "Sunday"};

/// Takes a text apart from its front; each step fails where the text is another.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool skip(std::string_view expected)
    {
        if (!rest_.starts_with(expected)) {
            return false;
        }
        rest_.remove_prefix(expected.size());
        return true;
    }

    /// Exactly `width` digits.
    bool number(std::size_t width, int& value)
    {
        if (rest_.size() < width) {
            return false;
        }
        int read = 0;
        for (const char c : rest_.substr(0, width)) {
            if (c < '0' || c > '9') {
                return false;
            }
            read = read * 10 + (c - '0');
        }
        value = read;
        rest_.remove_prefix(width);
        return true;
    }

    /// One of `names`; gives its place from 1 on.
    template <std::size_t N>
    bool name(const std::array<std::string_view, N>& names, int& place)
    {
        for (std::size_t i = 0; i < N; ++i) {
            if (skip(names[i])) {
                place = static_cast<int>(i) + 1;
                return true;
            }
        }
        return false;
    }

    bool at_end() const { return rest_.empty(); }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

struct Fields {
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
};

bool read_clock(Reader& in, Fields& t)
{
    return in.number(2, t.hour) && in.skip(":") && in.number(2, t.minute) && in.skip(":") &&
           in.number(2, t.second);
}

std::optional<milliseconds> moment_of(const Fields& t)
{
    const std::chrono::year_month_day date{std::chrono::year{t.year},
                                           std::chrono::month{static_cast<unsigned>(t.month)},
                                           std::chrono::day{static_cast<unsigned>(t.day)}};
    // Second 60 is a leap second, which UTC has and POSIX time counts as the next minute's first.
    if (!date.ok() || t.hour > 23 || t.minute > 59 || t.second > 60) {
        return std::nullopt;
    }
    return std::chrono::sys_days{date}.time_since_epoch() + std::chrono::hours{t.hour} +
           std::chrono::minutes{t.minute} + std::chrono::seconds{t.second};
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
std::optional<milliseconds> imf_fixdate(std::string_view text)
{
    Reader in(text);
    Fields t;
    int weekday = 0;
    const bool read = in.name(days, weekday) && in.skip(", ") && in.number(2, t.day) &&
                      in.skip(" ") && in.name(months, t.month) && in.skip(" ") &&
                      in.number(4, t.year) && in.skip(" ") && read_clock(in, t) &&
                      in.skip(" GMT") && in.at_end();
    return read ? moment_of(t) : std::nullopt;
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`
std::optional<milliseconds> rfc850_date(std::string_view text, DbTime now)
{
    Reader in(text);
    Fields t;
    int weekday = 0;
    const bool read = in.name(long_days, weekday) && in.skip(", ") && in.number(2, t.day) &&
                      in.skip("-") && in.name(months, t.month) && in.skip("-") &&
                      in.number(2, t.year) && in.skip(" ") && read_clock(in, t) &&
                      in.skip(" GMT") && in.at_end();
    if (!read) {
        return std::nullopt;
    }

    const std::chrono::sys_days today{std::chrono::floor<std::chrono::days>(now.since_epoch)};
    const std::chrono::year_month_day date{today};
    const std::chrono::year_month_day limit_date = date + std::chrono::years{50};
    // Day 29 of February has no fiftieth anniversary; the first of March is near enough.
    const milliseconds limit =
        std::chrono::sys_days{limit_date}.time_since_epoch() +
        std::chrono::floor<milliseconds>(now.since_epoch - today.time_since_epoch());

    // The latest year with these digits that is not more than 50 years ahead.
    const int two_digits = t.year;
    const int latest = static_cast<int>(limit_date.year());
    t.year = latest - ((latest - two_digits) % 100 + 100) % 100;
    const auto moment = moment_of(t);
    if (moment && *moment <= limit) {
        return moment;
    }
    t.year -= 100;
    return moment_of(t);
}

/// `Sun Nov  6 08:49:37 1994`
std::optional<milliseconds> asctime_date(std::string_view text)
{
    Reader in(text);
    Fields t;
    int weekday = 0;
    const bool read = in.name(days, weekday) && in.skip(" ") && in.name(months, t.month) &&
                      in.skip(" ") && (in.skip(" ") ? in.number(1, t.day) : in.number(2, t.day)) &&
                      in.skip(" ") && read_clock(in, t) && in.skip(" ") && in.number(4, t.year) &&
                      in.at_end();
    return read ? moment_of(t) : std::nullopt;
}

/// Digits after the decimal sign, rounded up to the millisecond; nothing where there are none.
std::optional<milliseconds> read_fraction(Reader& in)
{
    int value = 0;
    int scale = 1000;
    bool beyond = false;
    int digit = 0;
    int count = 0;
    while (in.number(1, digit)) {
        ++count;
        if (scale > 1) {
            scale /= 10;
            value += digit * scale;
        } else {
            beyond = beyond || digit != 0;
        }
    }
    return count == 0 ? std::nullopt : std::optional{milliseconds{value + (beyond ? 1 : 0)}};
}

std::optional<std::chrono::minutes> read_offset(Reader& in)
{
    if (in.skip("Z") || in.skip("z")) {
        return std::chrono::minutes{0};
    }
    const bool east = in.skip("+");
    int hours = 0;
    int minutes = 0;
    if ((!east && !in.skip("-")) || !in.number(2, hours)) {
        return std::nullopt;
    }
    const bool colon = in.skip(":");
    if ((colon || !in.at_end()) && !in.number(2, minutes)) {
        return std::nullopt;
    }
    if (hours > 23 || minutes > 59) {
        return std::nullopt;
    }
    const std::chrono::minutes offset{hours * 60 + minutes};
    return east ? offset : -offset;
}

} // namespace

std::optional<milliseconds> parse_http_date(std::string_view text, DbTime now)
{
    if (const auto moment = imf_fixdate(text)) {
        return moment;
    }
    if (const auto moment = rfc850_date(text, now)) {
        return moment;
    }
    return asctime_date(text);
}

std::optional<milliseconds> parse_iso8601(std::string_view text)
{
    Reader in(text);
    Fields t;
    const bool read = in.number(4, t.year) && in.skip("-") && in.number(2, t.month) &&
                      in.skip("-") && in.number(2, t.day) && (in.skip("T") || in.skip("t")) &&
                      in.number(2, t.hour) && in.skip(":") && in.number(2, t.minute);
    if (!read) {
        return std::nullopt;
    }
    milliseconds fraction{0};
    if (in.skip(":")) {
        if (!in.number(2, t.second)) {
            return std::nullopt;
        }
        if (in.skip(".") || in.skip(",")) {
            const auto digits = read_fraction(in);
            if (!digits) {
                return std::nullopt;
            }
            fraction = *digits;
        }
    }
    const auto offset = read_offset(in);
    const auto moment = moment_of(t);
    if (!offset || !in.at_end() || !moment) {
        return std::nullopt;
    }
    return *moment + fraction - *offset;
}

std::string format_rfc3339(DbTime time)
{
    using std::chrono::microseconds;
    using std::chrono::sys_days;
    // PostgreSQL's infinities have no date; RFC 3339 has four digits for a year.
    constexpr microseconds first = sys_days{std::chrono::year{0} / 1 / 1}.time_since_epoch();
    constexpr microseconds last =
        sys_days{std::chrono::year{10'000} / 1 / 1}.time_since_epoch() - microseconds{1};
    const microseconds at = std::clamp(time.since_epoch, first, last);

    const sys_days day{std::chrono::floor<std::chrono::days>(at)};
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss<microseconds> clock{at - day.time_since_epoch()};
    const auto number = [](auto value) {
        return static_cast<unsigned>(value);
    };
    std::string text(sizeof "0000-00-00T00:00:00" - 1, '-');
    put_digits(text, 0, 4, number(static_cast<int>(date.year())));
    put_digits(text, 5, 2, number(date.month()));
    put_digits(text, 8, 2, number(date.day()));
    text[10] = 'T';
    put_digits(text, 11, 2, number(clock.hours().count()));
    text[13] = ':';
    put_digits(text, 14, 2, number(clock.minutes().count()));
    text[16] = ':';
    put_digits(text, 17, 2, number(clock.seconds().count()));
    if (clock.subseconds().count() != 0) {
        text += ".000000";
        put_digits(text, 20, 6, number(clock.subseconds().count()));
        text.erase(text.find_last_not_of('0') + 1);
    }
    text += 'Z';
    return text;
}

} // namespace sagabox::core
