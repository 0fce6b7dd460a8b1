#include "config/secrets.hpp"

#include "config/declarations.hpp"
#include "config/values.hpp"

#include <algorithm>
#include <array>

namespace sagabox::config {

namespace {

std::string lower(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
}

bool says_secret(std::string_view name)
{
    constexpr std::array words = {"secret", "password",      "passwd",    "pwd",
                                  "token",  "authorization", "credential"};
    const std::string small = lower(name);
    return small.ends_with("key") || small == "cookie" || small == "sig" || small == "signature" ||
           std::ranges::any_of(
               words, [&](const char* word) { return small.find(word) != std::string::npos; });
}

/// A port or a switch from the environment is no secret, and blotting out each `9000` or `true`
/// would make the log unreadable.
bool is_plain_setting(const std::string& text)
{
    return parse_real(text) || parse_boolean(text) || parse_duration(text);
}

class Collector {
public:
    explicit Collector(const Environment& environment) : environment_(environment) {}

    void walk(const Node& node, std::string_view name)
    {
        if (node.is_scalar()) {
            return scalar(node, name);
        }
        for (const Node& item : node.items) {
            walk(item, name);
        }
        for (const auto& [key, member] : node.members) {
            // Names, paths and SQL may sound like secrets without being any.
            constexpr std::array harmless = {"extract", "outcomes", "fanout", "rates"};
            if (std::ranges::find(harmless, key) == harmless.end()) {
                walk(member, key);
            }
        }
    }

    std::vector<std::string> take() { return std::move(found_); }

private:
    void scalar(const Node& node, std::string_view name)
    {
        for (const std::string& variable : node.variables) {
            const auto value = environment_(variable);
            if (value && !is_plain_setting(*value)) {
                found_.push_back(*value);
                if (!node.unresolved) {
                    found_.push_back(node.text);
                }
            }
        }
        if (says_secret(name) && node.kind != Node::Kind::boolean && !node.unresolved &&
            node.text.find('{') == std::string::npos) {
            found_.push_back(node.text);
        }
        for (std::string& part : secrets_in_address(node.text)) {
            found_.push_back(std::move(part));
        }
    }

    const Environment& environment_;
    std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> secrets_in_address(std::string_view address)
{
    std::vector<std::string> out;
    const std::size_t scheme = address.find("://");
    if (scheme != std::string_view::npos) {
        const std::size_t start = scheme + 3;
        const std::string_view authority =
            address.substr(start, address.find_first_of("/?#", start) - start);
        const std::size_t at = authority.rfind('@');
        if (at != std::string_view::npos) {
            const std::string_view userinfo = authority.substr(0, at);
            const std::size_t colon = userinfo.find(':');
            if (colon != std::string_view::npos) {
                out.emplace_back(userinfo.substr(colon + 1));
            } else if (address.starts_with("http")) {
                // A lone token as user is common for HTTP; for a database it is just a role.
                out.emplace_back(userinfo);
            }
        }
    }
    // `name=value`, in a query or in libpq's own form.
    const bool query = scheme != std::string_view::npos;
    std::size_t from = query ? address.find('?') : 0;
    while (from != std::string_view::npos && from < address.size()) {
        from += query ? 1U : 0U;
        const std::size_t end =
            std::min(address.find_first_of(query ? "&#" : " ", from), address.size());
        const std::string_view pair = address.substr(from, end - from);
        const std::size_t equals = pair.find('=');
        if (equals != std::string_view::npos && says_secret(pair.substr(0, equals)) &&
            pair.find('{') == std::string_view::npos) {
            out.emplace_back(pair.substr(equals + 1));
        }
        from = end + (query ? 0U : 1U);
    }
    return out;
}

void tidy_secrets(std::vector<std::string>& secrets)
{
    constexpr std::size_t shortest = 4;
    std::erase_if(secrets, [](const std::string& secret) { return secret.size() < shortest; });
    std::ranges::sort(secrets, [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
    secrets.erase(std::unique(secrets.begin(), secrets.end()), secrets.end());
}

std::vector<std::string> secrets_of(const Node& root, const Environment& environment)
{
    Collector collector(environment);
    for (const Setting& setting : root_section().settings) {
        if (const Node* section = root.find(setting.name)) {
            collector.walk(*section, setting.name);
        }
    }
    std::vector<std::string> secrets = collector.take();
    tidy_secrets(secrets);
    return secrets;
}

} // namespace sagabox::config
