#include "config/view.hpp"

#include "base/invariant.hpp"
#include "config/checks.hpp"
#include "config/values.hpp"

#include <sstream>

namespace sagabox::config {

namespace {

/// What `read` makes of the value that the file gives, where that is fit, else of the default.
template <class T, class Read>
std::optional<T> given_or_declared(const Node* given, const Setting& setting, Read read)
{
    if (given != nullptr && !given->unresolved && !wrong_with(setting, *given)) {
        if (Result<T> value = read(given->text)) {
            return *std::move(value);
        }
    }
    if (setting.fallback.empty()) {
        return std::nullopt;
    }
    Result<T> value = read(setting.fallback);
    SAGABOX_INVARIANT(value, "a declared default must be a value of its kind");
    return *std::move(value);
}

} // namespace

View::View(const Node* node, const Section& section, std::string path)
    : node_(node != nullptr && node->kind == Node::Kind::object ? node : nullptr),
      section_(&section), path_(std::move(path))
{
}

const Setting& View::declared(std::string_view name) const
{
    const Setting* setting = section_->find(name);
    SAGABOX_INVARIANT(setting != nullptr, "a setting that is read must be declared");
    return *setting;
}

const Node* View::find(std::string_view name) const
{
    (void)declared(name);
    return node_ != nullptr ? node_->find(name) : nullptr;
}

View View::section(std::string_view name) const
{
    return {find(name), *declared(name).of, path_of(name)};
}

View View::element(std::string_view name, const Node& node, std::string path) const
{
    return {&node, *declared(name).of, std::move(path)};
}

std::optional<std::string> View::text(std::string_view name) const
{
    return given_or_declared<std::string>(find(name), declared(name), [](std::string_view text) {
        return Result<std::string>(std::string(text));
    });
}

std::optional<std::chrono::milliseconds> View::maybe_duration(std::string_view name) const
{
    return given_or_declared<std::chrono::milliseconds>(find(name), declared(name), parse_duration);
}

std::chrono::milliseconds View::duration(std::string_view name) const
{
    return maybe_duration(name).value();
}

std::int64_t View::bytes(std::string_view name) const
{
    return given_or_declared<std::int64_t>(find(name), declared(name), parse_bytes).value();
}

std::vector<std::string> View::texts(std::string_view name) const
{
    std::vector<std::string> out;
    if (const Node* list = find(name)) {
        for (const Node& item : list->items) {
            out.push_back(item.text);
        }
        return out;
    }
    std::istringstream words{std::string(declared(name).fallback)};
    for (std::string word; words >> word;) {
        out.push_back(word);
    }
    return out;
}

std::optional<std::int64_t> View::maybe_whole(std::string_view name) const
{
    return given_or_declared<std::int64_t>(find(name), declared(name), parse_whole);
}

std::int64_t View::whole(std::string_view name) const
{
    return maybe_whole(name).value();
}

std::optional<double> View::maybe_real(std::string_view name) const
{
    return given_or_declared<double>(find(name), declared(name), parse_real);
}

double View::real(std::string_view name) const
{
    return maybe_real(name).value();
}

bool View::boolean(std::string_view name) const
{
    return given_or_declared<bool>(find(name), declared(name), parse_boolean).value();
}

} // namespace sagabox::config
