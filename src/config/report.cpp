#include "config/report.hpp"

#include <algorithm>

namespace sagabox::config {

namespace {

void blot_out(std::string& text, const std::string& secret)
{
    constexpr std::string_view blot = "***";
    for (std::size_t at = text.find(secret); at != std::string::npos;
         at = text.find(secret, at + blot.size())) {
        text.replace(at, secret.size(), blot);
    }
}

} // namespace

void Report::add(const Node* at, std::string_view path, std::string text)
{
    add(at != nullptr ? at->file : std::string_view{}, at != nullptr ? at->line : 0, path,
        std::move(text));
}

void Report::add(std::string_view file, int line, std::string_view path, std::string text)
{
    entries_.push_back({std::string(file), line, std::string(path), std::move(text)});
}

std::vector<Problem> Report::problems(const std::vector<std::string>& secrets) const
{
    std::vector<Entry> sorted = entries_;
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());

    std::vector<Problem> out;
    for (Entry& entry : sorted) {
        std::string place = entry.file;
        if (entry.line > 0) {
            place += ":" + std::to_string(entry.line);
        }
        if (!entry.path.empty()) {
            place += (place.empty() ? "" : ": ") + entry.path;
        }
        for (const std::string& secret : secrets) {
            blot_out(entry.text, secret);
        }
        out.push_back({std::move(place), std::move(entry.text)});
    }
    return out;
}

} // namespace sagabox::config
