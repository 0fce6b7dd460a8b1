#include "config/checks.hpp"

#include "config/nearest.hpp"
#include "core/template.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

class Checker {
public:
    explicit Checker(Report& report) : report_(report) {}

    void section(const Node& node, const Section& declared, const std::string& path)
    {
        if (!is_object(node, path)) {
            return;
        }
        for (const auto& [name, member] : node.members) {
            const Setting* setting = declared.find(name);
            if (setting == nullptr && member.unresolved) {
                continue; // the reader put it there in place of what was missing
            }
            if (setting == nullptr) {
                unknown(member, name, declared, path);
            } else if (member.kind != Node::Kind::null) {
                value(*setting, member, join(path, name));
            }
        }
    }

private:
    bool is_object(const Node& node, const std::string& path)
    {
        if (node.unresolved) {
            return false;
        }
        if (node.kind != Node::Kind::object) {
            report_.add(&node, path, "a section belongs here; write { … }");
        }
        return node.kind == Node::Kind::object;
    }

    void unknown(const Node& member, const std::string& name, const Section& declared,
                 const std::string& path)
    {
        std::vector<std::string_view> known;
        for (const Section* from = &declared; from != nullptr; from = from->more) {
            for (const Setting& setting : from->settings) {
                known.push_back(setting.name);
            }
        }
        std::string hint = suggestion(name, known);
        if (hint.empty()) {
            hint = fmt::format(" Known here: {}.", fmt::join(known, ", "));
        }
        report_.add(&member, join(path, name), fmt::format("unknown key \"{}\".{}", name, hint));
    }

    void value(const Setting& setting, const Node& node, const std::string& path)
    {
        switch (setting.kind) {
        case Kind::section:
            return section(node, *setting.of, path);
        case Kind::section_map:
            return section_map(setting, node, path);
        case Kind::section_list:
            return section_list(setting, node, path);
        case Kind::names:
            return fanouts(node, path);
        case Kind::statuses:
            return scalars(setting, node, path,
                           "a list of statuses belongs here; write [409, \"5xx\"]");
        case Kind::texts:
        case Kind::json_paths:
        case Kind::networks:
            return scalars(setting, node, path, "a list belongs here; write [\"…\", \"…\"]");
        case Kind::headers:
        case Kind::extraction:
            return named_scalars(setting, node, path);
        case Kind::rates:
            return rates(setting, node, path);
        case Kind::body:
            return body(node, path);
        default:
            return scalar(setting, node, path);
        }
    }

    void scalar(const Setting& setting, const Node& node, const std::string& path)
    {
        if (auto wrong = wrong_with(setting, node)) {
            report_.add(&node, path, *std::move(wrong));
        }
    }

    void section_map(const Setting& setting, const Node& node, const std::string& path)
    {
        if (!is_object(node, path)) {
            return;
        }
        for (const auto& [name, member] : node.members) {
            if (member.kind == Node::Kind::null) {
                continue;
            }
            const std::string inner = join(path, name);
            this->name(member, name, inner);
            if (name.ends_with(".revert")) {
                report_.add(&member, inner,
                            "a destination's name can't end in .revert, which marks the rows of "
                            "reverts; choose another name");
            }
            section(member, *setting.of, inner);
        }
    }

    void section_list(const Setting& setting, const Node& node, const std::string& path)
    {
        if (node.kind != Node::Kind::list || node.items.empty()) {
            return report_.add(&node, path,
                               "a list of sections belongs here; write [ { … }, { … } ]");
        }
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            section(node.items[i], *setting.of, fmt::format("{}[{}]", path, i));
        }
    }

    void name(const Node& node, const std::string& name, const std::string& path)
    {
        const bool bad = name.empty() || std::ranges::any_of(name, [](unsigned char c) {
                             return c < 0x20 || c == 0x7F;
                         });
        if (bad) {
            report_.add(&node, path,
                        "a name must not be empty or hold control characters; choose another");
        }
    }

    void fanouts(const Node& node, const std::string& path)
    {
        if (!is_object(node, path)) {
            return;
        }
        for (const auto& [type, list] : node.members) {
            if (list.kind == Node::Kind::null) {
                continue;
            }
            const std::string inner = join(path, type);
            name(list, type, inner);
            if (type.starts_with('!')) {
                report_.add(
                    &list, inner,
                    fmt::format("a cancellation has no fan-out of its own: what \"{}\" undoes "
                                "follows from what was done; remove the key",
                                type));
                continue;
            }
            fanout(list, inner);
        }
    }

    void fanout(const Node& list, const std::string& path)
    {
        if (list.unresolved) {
            return;
        }
        if (list.kind == Node::Kind::object) {
            return report_.add(
                &list, path,
                "a list of destinations belongs here; an event type with a dot wants "
                "quotes (\"order.created\" = […])");
        }
        if (list.kind != Node::Kind::list) {
            return report_.add(&list, path,
                               "a list of destinations belongs here; write [\"…\", \"…\"]");
        }
        if (list.items.empty()) {
            return report_.add(&list, path,
                               "the fan-out is empty; name its destinations, or remove the key");
        }
        std::set<std::string> seen;
        for (const Node& item : list.items) {
            if (!item.is_scalar()) {
                report_.add(&item, path, "each entry is the name of a destination");
            } else if (!item.unresolved && !seen.insert(item.text).second) {
                report_.add(
                    &item, path,
                    fmt::format("\"{}\" stands here twice; a destination is called once per "
                                "event, so remove one or give the second call a name of its own",
                                item.text));
            }
        }
    }

    void scalars(const Setting& setting, const Node& node, const std::string& path,
                 const char* expected)
    {
        if (node.kind != Node::Kind::list) {
            return report_.add(&node, path, expected);
        }
        for (const Node& item : node.items) {
            scalar(setting, item, path);
        }
    }

    void named_scalars(const Setting& setting, const Node& node, const std::string& path)
    {
        if (!is_object(node, path)) {
            return;
        }
        constexpr Setting header_name{"", Kind::header_name, "", ""};
        for (const auto& [name, member] : node.members) {
            if (member.kind == Node::Kind::null) {
                continue;
            }
            const std::string inner = join(path, name);
            if (setting.kind == Kind::headers) {
                Node as_value;
                as_value.kind = Node::Kind::text;
                as_value.text = name;
                if (auto wrong = wrong_with(header_name, as_value)) {
                    report_.add(&member, inner, *std::move(wrong));
                }
            } else if (name == "idempotencyKey") {
                report_.add(
                    &member, inner,
                    "{idempotencyKey} is always known, as the key of the forward call; give "
                    "this placeholder another name");
            }
            scalar(setting, member, inner);
        }
    }

    void rates(const Setting& setting, const Node& node, const std::string& path)
    {
        if (node.kind != Node::Kind::object) {
            return scalar(setting, node, path);
        }
        for (const auto& [name, member] : node.members) {
            if (member.kind != Node::Kind::null) {
                rates(setting, member, join(path, name));
            }
        }
    }

    void body(const Node& node, const std::string& path)
    {
        if (node.unresolved) {
            return;
        }
        const auto parsed =
            core::BodyTemplate::parse(node.kind == Node::Kind::text ? node.text : to_json(node));
        if (!parsed) {
            report_.add(
                &node, path,
                node.variables.empty()
                    ? "no JSON body whatever its placeholders hold: " + parsed.error().text()
                    : "the environment variable does not hold a JSON body (it is not shown)");
        }
    }

    Report& report_;
};

} // namespace

std::string suggestion(std::string_view name, const std::vector<std::string_view>& known)
{
    const auto near = nearest(name, known);
    return near ? fmt::format(" Did you mean \"{}\"?", *near) : std::string{};
}

void check_file(const Node& root, Report& report)
{
    for (const auto& [name, member] : root.members) {
        const Setting* setting = root_section().find(name);
        if (setting != nullptr && member.kind != Node::Kind::null) {
            Checker(report).section(member, *setting->of, name);
        } else if (root.find("outbox") == nullptr && edit_distance(name, "outbox") <= 2) {
            // Other programs' sections are not ours to judge, but a file without an outbox that has
            // something so like it is a slip that would leave every event without a destination.
            report.add(&member, name, "unknown section. Did you mean \"outbox\"?");
        }
    }
}

} // namespace sagabox::config
