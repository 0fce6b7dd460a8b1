#include "simulate/report.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sagabox::simulate {

namespace {

json::Value texts(const std::vector<std::string>& lines)
{
    json::Array array;
    for (const std::string& line : lines) {
        array.emplace_back(line);
    }
    return array;
}

std::string number_of(std::size_t count, std::string_view one)
{
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string stories_played(std::size_t count)
{
    return fmt::format("{} {} played", count, count == 1 ? "story" : "stories");
}

std::string ways_through(std::size_t count)
{
    return fmt::format("{} {} through the routes", count, count == 1 ? "way" : "ways");
}

/// What others have written must not draw lines of its own, nor move the cursor.
std::string one_line(std::string text)
{
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return text;
}

} // namespace

std::string_view to_label(Weight weight)
{
    switch (weight) {
    case Weight::finding:
        return "finding";
    case Weight::note:
        return "note";
    case Weight::accepted:
        return "accepted";
    }
    return "";
}

std::size_t Report::count(Weight weight) const
{
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [weight](const Finding& finding) { return finding.weight == weight; }));
}

std::string in_words(const Report& report)
{
    std::string out = fmt::format(
        "{}: {}\n{} by {}: every trouble at every step and undo, {} two together\n",
        report.event_type, fmt::join(report.steps, ", "), stories_played(report.stories),
        ways_through(report.ways), report.every_pair ? "every" : "some");
    if (!report.assumed.empty()) {
        out += "invented, and held to be so; --answers gives your own:\n";
        for (const std::string& line : report.assumed) {
            out += "  " + one_line(line) + '\n';
        }
    }
    bool told = true;
    for (const Finding& finding : report.findings) {
        out += std::exchange(told, finding.weight == Weight::finding) ? "\n" : "";
        out += fmt::format("{} {}: {}\n", to_label(finding.weight), finding.rule,
                           one_line(finding.what));
        if (finding.weight != Weight::finding) {
            continue;
        }
        if (!finding.given.empty()) {
            out += "  given: " + one_line(finding.given) + '\n';
        }
        int number = 0;
        for (const std::string& line : finding.story) {
            out += fmt::format("  {}. {}\n", ++number, one_line(line));
        }
        if (!finding.cure.empty()) {
            out += fmt::format("  cure: {}\n", finding.cure);
        }
    }
    out += fmt::format("\n{}, {}", number_of(report.count(Weight::finding), "finding"),
                       number_of(report.count(Weight::note), "note"));
    const std::size_t accepted = report.count(Weight::accepted);
    out += accepted == 0 ? "\n" : fmt::format(", {} accepted\n", accepted);
    return out;
}

json::Value in_json(const Report& report)
{
    json::Array findings;
    for (const Finding& finding : report.findings) {
        json::Object form;
        form.set("rule", finding.rule);
        form.set("weight", to_label(finding.weight));
        form.set("step", finding.step);
        form.set("what", finding.what);
        form.set("given", finding.given);
        form.set("story", texts(finding.story));
        form.set("cure", finding.cure);
        findings.emplace_back(std::move(form));
    }
    json::Object form;
    form.set("event", report.event_type);
    form.set("steps", texts(report.steps));
    form.set("ways", json::Value::integer(static_cast<long long>(report.ways)));
    form.set("stories", json::Value::integer(static_cast<long long>(report.stories)));
    form.set("everyPair", report.every_pair);
    form.set("assumed", texts(report.assumed));
    form.set("findings", std::move(findings));
    return form;
}

} // namespace sagabox::simulate
