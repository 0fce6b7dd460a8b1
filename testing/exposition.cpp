#include "testing/exposition.hpp"

#include "json/unicode.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace sagabox::testing {

namespace {

bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Reads one line from left to right.
class Line {
public:
    Line(std::string_view text, int number) : text_(text), number_(number) {}

    [[noreturn]] void fail(const std::string& why) const
    {
        throw std::runtime_error(fmt::format("line {}: {}: {}", number_, why, text_));
    }

    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] bool take(std::string_view what)
    {
        const bool there = text_.substr(at_).starts_with(what);
        at_ += there ? what.size() : 0;
        return there;
    }
    void demand(std::string_view what)
    {
        if (!take(what)) {
            fail(fmt::format("'{}' expected at column {}", what, at_ + 1));
        }
    }

    enum class Colons : std::uint8_t { allowed, forbidden };
    std::string name(Colons colons)
    {
        std::string out;
        while (!at_end() && (letter(text_[at_]) || (!out.empty() && digit(text_[at_])) ||
                             (colons == Colons::allowed && text_[at_] == ':'))) {
            out += text_[at_++];
        }
        if (out.empty()) {
            fail("a name expected");
        }
        return out;
    }

    /// What follows the opening quote, up to and with the closing one.
    std::string quoted()
    {
        std::string out;
        while (!take("\"")) {
            if (at_end()) {
                fail("a label's value does not end");
            }
            out += character(true);
        }
        return out;
    }

    std::string help()
    {
        std::string out;
        while (!at_end()) {
            out += character(false);
        }
        return out;
    }

    double number()
    {
        const std::string_view rest = text_.substr(at_);
        at_ = text_.size();
        if (rest == "+Inf") {
            return std::numeric_limits<double>::infinity();
        }
        double value = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (error != std::errc{} || end != rest.data() + rest.size() || !std::isfinite(value)) {
            fail("a number expected");
        }
        return value;
    }

private:
    std::string character(bool quotes_escaped)
    {
        if (take("\\")) {
            if (take("\\")) {
                return "\\";
            }
            if (take("n")) {
                return "\n";
            }
            if (quotes_escaped && take("\"")) {
                return "\"";
            }
            fail("an escape that there is not");
        }
        const auto point = json::decode_utf8(text_, at_);
        if (!point) {
            fail("bytes that are not UTF-8");
        }
        std::string out(text_.substr(at_, point->length));
        at_ += point->length;
        return out;
    }

    std::string_view text_;
    int number_;
    std::size_t at_ = 0;
};

bool belongs(const std::string& sample, const std::string& family, const std::string& type)
{
    if (type == "histogram") {
        return sample == family + "_bucket" || sample == family + "_sum" ||
               sample == family + "_count";
    }
    return sample == family;
}

Exposition::Sample read_sample(Line& line)
{
    Exposition::Sample sample;
    sample.name = line.name(Line::Colons::allowed);
    if (line.take("{")) {
        bool first = true;
        while (!line.take("}")) {
            if (!std::exchange(first, false)) {
                line.demand(",");
                if (line.take("}")) {
                    break; // a comma after the last one is allowed
                }
            }
            const std::string label = line.name(Line::Colons::forbidden);
            line.demand("=\"");
            if (!sample.labels.emplace(label, line.quoted()).second) {
                line.fail("a label twice");
            }
        }
    }
    line.demand(" ");
    sample.value = line.number();
    return sample;
}

void check_histogram(const std::string& name, const Exposition::Family& family)
{
    struct Seen {
        double le = -std::numeric_limits<double>::infinity();
        double cumulative = 0;
        std::optional<double> count;
        bool sum = false;
    };
    std::map<Exposition::Labels, Seen> series;
    for (const Exposition::Sample& sample : family.samples) {
        Exposition::Labels labels = sample.labels;
        const auto le = labels.extract("le");
        Seen& seen = series[labels];
        if (sample.name == name + "_bucket") {
            if (le.empty()) {
                throw std::runtime_error(name + ": a bucket without le");
            }
            const double bound = le.mapped() == "+Inf" ? std::numeric_limits<double>::infinity()
                                                       : std::stod(le.mapped());
            if (bound <= seen.le || sample.value < seen.cumulative) {
                throw std::runtime_error(name + ": buckets are not cumulative");
            }
            seen.le = bound;
            seen.cumulative = sample.value;
        } else if (sample.name == name + "_count") {
            seen.count = sample.value;
        } else {
            seen.sum = true;
        }
    }
    for (const auto& [labels, seen] : series) {
        if (!std::isinf(seen.le) || seen.count != seen.cumulative || !seen.sum) {
            throw std::runtime_error(name + ": a histogram is not whole");
        }
    }
}

void check_family(const std::string& name, const Exposition::Family& family)
{
    if (family.type.empty() || family.help.empty() || family.samples.empty()) {
        throw std::runtime_error(name + " lacks its TYPE, its HELP or samples");
    }
    if ((family.type == "counter") != name.ends_with("_total")) {
        throw std::runtime_error(name + ": counters, and only they, end in _total");
    }
    for (const Exposition::Sample& sample : family.samples) {
        if (family.type != "gauge" && sample.value < 0) {
            throw std::runtime_error(name + " is negative");
        }
    }
    if (family.type == "histogram") {
        check_histogram(name, family);
    }
}

} // namespace

Exposition::Exposition(std::string_view page)
{
    std::string current;
    std::set<std::pair<std::string, Labels>> seen;
    int number = 0;
    while (!page.empty()) {
        const std::size_t end = page.find('\n');
        Line line(page.substr(0, end), ++number);
        if (end == std::string_view::npos) {
            line.fail("no line feed at the end");
        }
        page.remove_prefix(end + 1);
        if (line.take("# HELP ")) {
            const std::string name = line.name(Line::Colons::allowed);
            line.demand(" ");
            if (!families_.emplace(name, Family{"", line.help(), {}}).second) {
                line.fail("a family twice");
            }
            current = name;
        } else if (line.take("# TYPE ")) {
            const std::string name = line.name(Line::Colons::allowed);
            line.demand(" ");
            const std::string type = line.name(Line::Colons::forbidden);
            Family& family = families_[name];
            if (name != current || !family.type.empty() || !line.at_end() ||
                (type != "counter" && type != "gauge" && type != "histogram")) {
                line.fail("a TYPE out of place, or one that there is not");
            }
            family.type = type;
        } else {
            Sample sample = read_sample(line);
            if (current.empty() || !belongs(sample.name, current, families_[current].type)) {
                line.fail("a sample apart from its family");
            }
            if (!seen.emplace(sample.name, sample.labels).second) {
                line.fail("a series twice");
            }
            families_[current].samples.push_back(std::move(sample));
        }
    }
    for (const auto& [name, family] : families_) {
        check_family(name, family);
    }
}

double Exposition::value(const std::string& name, const Labels& labels) const
{
    for (const auto& [family, content] : families_) {
        for (const Sample& sample : content.samples) {
            if (sample.name == name && sample.labels == labels) {
                return sample.value;
            }
        }
    }
    std::string wanted = name;
    for (const auto& [label, text] : labels) {
        wanted += " " + label + "=" + text;
    }
    throw std::runtime_error("no series " + wanted);
}

} // namespace sagabox::testing
