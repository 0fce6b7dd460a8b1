#include "config/settings.hpp"

#include "base/invariant.hpp"
#include "config/checks.hpp"
#include "config/plan_builder.hpp"
#include "config/reader.hpp"
#include "config/report.hpp"

namespace sagabox::config {

namespace {

Loaded finish(const std::optional<Node>& root, Report& report)
{
    if (!root) {
        return {std::nullopt, report.problems({})};
    }
    check_file(*root, report);
    Settings settings = build_settings(*root, process_environment(), report);
    if (!report.empty()) {
        return {std::nullopt, report.problems(settings.secrets)};
    }
    return {std::move(settings), {}};
}

} // namespace

Loaded load_file(const std::string& path)
{
    Report report;
    const std::optional<Node> root = read_file(path, report);
    return finish(root, report);
}

Loaded load_text(const std::string& text, const std::string& name)
{
    Report report;
    const std::optional<Node> root = read_text(text, name, report);
    return finish(root, report);
}

Settings defaults()
{
    Loaded loaded = load_text("", "defaults");
    SAGABOX_INVARIANT(loaded.settings, "an empty file must be a valid one");
    return *std::move(loaded.settings);
}

} // namespace sagabox::config
