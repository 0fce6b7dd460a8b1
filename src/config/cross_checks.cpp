#include "config/cross_checks.hpp"

#include "config/checks.hpp"
#include "core/mail.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

class References {
public:
    References(const View& calls, const core::Plan& plan, Report& report,
               std::vector<std::string_view> built_in)
        : calls_(calls), routes_(calls.find("routes")), fanout_(calls.find("fanout")), plan_(plan),
          report_(report), built_in_(std::move(built_in)), known_(built_in_)
    {
        if (routes_ != nullptr) {
            for (const auto& [name, member] : routes_->members) {
                if (member.kind != Node::Kind::null) {
                    known_.push_back(name);
                }
            }
        }
    }

    void check()
    {
        check_fanouts();
        for (const std::string_view name : known_) {
            if (routes_ == nullptr || routes_->find(name) == nullptr) {
                continue; // built in
            }
            const std::string path = join(calls_.path_of("routes"), name);
            const View view = calls_.element("routes", *routes_->find(name), path);
            check_condition(name, view.section("condition"));
            if (const Node* list = view.find("routes")) {
                for (std::size_t i = 0; i < list->items.size(); ++i) {
                    const std::string inner = fmt::format("{}[{}]", view.path_of("routes"), i);
                    check_condition(
                        name, view.element("routes", list->items[i], inner).section("condition"));
                }
            }
        }
    }

private:
    bool is_known(std::string_view name) const
    {
        return std::ranges::find(known_, name) != known_.end();
    }

    void unknown_destination(const Node& at, const std::string& path, const std::string& name)
    {
        if (name == core::mail_destination) {
            report_.add(&at, path,
                        "mail can't be sent: add the section email with its providers, or a "
                        "route of this name");
            return;
        }
        report_.add(&at, path,
                    fmt::format("there is no destination \"{}\"; add it to outbox.http.routes, or "
                                "correct the name.{}",
                                name, suggestion(name, known_)));
    }

    void check_fanouts()
    {
        if (fanout_ == nullptr) {
            return;
        }
        for (const auto& [type, list] : fanout_->members) {
            for (const Node& item : list.items) {
                if (item.is_scalar() && !item.unresolved && !is_known(item.text)) {
                    unknown_destination(item, join(calls_.path_of("fanout"), type), item.text);
                }
            }
        }
    }

    void check_condition(std::string_view destination, const View& condition)
    {
        const Node* previous = condition.find("previousDestination");
        if (previous == nullptr || !previous->is_scalar() || previous->unresolved) {
            return;
        }
        const std::string path = condition.path_of("previousDestination");
        if (!is_known(previous->text)) {
            return unknown_destination(*previous, path, previous->text);
        }
        check_kept(condition, previous->text);
        if (fanout_ == nullptr) {
            return;
        }
        for (const auto& [type, list] : fanout_->members) {
            const auto position = [&, &items = list.items](std::string_view name) {
                return std::ranges::find(items, name, &Node::text) - items.begin();
            };
            const auto size = std::ssize(list.items);
            const auto own = position(destination);
            if (own < size && position(previous->text) >= own) {
                report_.add(previous, path,
                            fmt::format("\"{0}\" does not come before \"{1}\" in the fan-out of "
                                        "\"{2}\", so its answer would never be there; put \"{0}\" "
                                        "earlier in outbox.http.fanout",
                                        previous->text, destination, type));
            }
        }
    }

    /// What is not kept of an answer can choose no route.
    void check_kept(const View& condition, const std::string& previous)
    {
        const core::Destination* destination = plan_.destination(previous);
        const auto text = condition.text("jsonPath");
        const auto path = json::Path::compile(text.value_or(""));
        if (destination == nullptr || !path) {
            return;
        }
        for (const core::Route& route : destination->routes) {
            for (const json::Path& hidden : route.redact.response) {
                if (hidden.may_meet(*path)) {
                    report_.add(condition.find("jsonPath"), condition.path_of("jsonPath"),
                                fmt::format("{} may not be kept, since redact.response of \"{}\" "
                                            "has {}; look elsewhere, or narrow the redaction",
                                            *text, previous, hidden.text()));
                }
            }
        }
    }

    const View& calls_;
    const Node* routes_;
    const Node* fanout_;
    const core::Plan& plan_;
    Report& report_;
    std::vector<std::string_view> built_in_;
    std::vector<std::string_view> known_;
};

} // namespace

void check_references(const View& calls, const core::Plan& plan, Report& report,
                      std::vector<std::string_view> built_in)
{
    References(calls, plan, report, std::move(built_in)).check();
}

} // namespace sagabox::config
