#include "pg/target.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <libpq-fe.h>

namespace sagabox::pg {

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

const std::string* find(const Parameters& parameters, std::string_view keyword)
{
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const auto& entry) { return entry.first == keyword; });
    return found == parameters.end() ? nullptr : &found->second;
}

// A password with an @ or a / that is not percent-encoded ends up, in part, in the host, the port
// or the database's name, and from there in our messages.
bool holds_part_of_a_password(const Parameters& parameters)
{
    const auto holds = [&](std::string_view keyword, char c) {
        const std::string* const value = find(parameters, keyword);
        return value != nullptr && value->find(c) != std::string::npos;
    };
    const std::string* const port = find(parameters, "port");
    return holds("host", '@') || holds("dbname", '@') ||
           (port != nullptr && port->find_first_not_of("0123456789,") != std::string::npos);
}

Result<Parameters> parse(const std::string& url)
{
    char* message = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
        PQconninfoParse(url.c_str(), &message), &PQconninfoFree);
    PQfreemem(message);
    Parameters parameters;
    for (const PQconninfoOption* option = parsed.get();
         option != nullptr && option->keyword != nullptr; ++option) {
        if (option->val != nullptr) {
            parameters.emplace_back(option->keyword, option->val);
        }
    }
    if (!parsed || holds_part_of_a_password(parameters)) {
        // libpq's message quotes the string, password and all.
        return fail(
            Fault::Kind::bad_input,
            "The database URL cannot be read; write it as "
            "postgresql://user@host:port/database, with special characters percent-encoded");
    }
    return parameters;
}

std::string value_or(const Parameters& parameters, std::string_view keyword,
                     const char* environment, std::string fallback)
{
    if (const std::string* given = find(parameters, keyword)) {
        return *given;
    }
    const char* const inherited = std::getenv(environment);
    return inherited != nullptr ? inherited : std::move(fallback);
}

void set(Parameters& parameters, std::string_view keyword, std::string value)
{
    for (auto& [known, old] : parameters) {
        if (known == keyword) {
            old = std::move(value);
            return;
        }
    }
    parameters.emplace_back(keyword, std::move(value));
}

void set_default(Parameters& parameters, std::string_view keyword, std::string value)
{
    if (find(parameters, keyword) == nullptr) {
        parameters.emplace_back(keyword, std::move(value));
    }
}

std::vector<std::string> split(const std::string& list)
{
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (;;) {
        const std::size_t comma = list.find(',', from);
        parts.push_back(list.substr(from, comma - from));
        if (comma == std::string::npos) {
            return parts;
        }
        from = comma + 1;
    }
}

std::string describe(const Parameters& parameters)
{
    const std::string* address = find(parameters, "hostaddr");
    const std::string host =
        value_or(parameters, "host", "PGHOST", address != nullptr ? *address : "local socket");
    const std::string port = value_or(parameters, "port", "PGPORT", "5432");
    const std::string user = value_or(parameters, "user", "PGUSER", "");
    return fmt::format("database {} at {}:{}", value_or(parameters, "dbname", "PGDATABASE", user),
                       host, port);
}

std::vector<Parameters> one_per_host(const Parameters& all)
{
    static const std::string none;
    const std::string* const host_list = find(all, "host");
    const std::string* const address_list = find(all, "hostaddr");
    const std::string* const port_list = find(all, "port");
    const std::string* const attributes = find(all, "target_session_attrs");
    const std::vector<std::string> hosts = split(host_list != nullptr ? *host_list : none);
    const std::vector<std::string> addresses =
        split(address_list != nullptr ? *address_list : none);
    const std::vector<std::string> ports = split(port_list != nullptr ? *port_list : none);
    const std::size_t count = std::max(hosts.size(), addresses.size());
    const auto fits = [&](const std::string* list, std::size_t size) {
        return list == nullptr || size == count;
    };

    // Lists that do not match are libpq's to complain about; prefer-standby needs libpq's two
    // rounds.
    if (count == 1 || !fits(host_list, hosts.size()) || !fits(address_list, addresses.size()) ||
        (ports.size() != 1 && ports.size() != count) ||
        (attributes != nullptr && *attributes == "prefer-standby")) {
        return {all};
    }
    std::vector<Parameters> each(count, all);
    for (std::size_t i = 0; i < count; ++i) {
        if (host_list != nullptr) {
            set(each[i], "host", hosts[i]);
        }
        if (address_list != nullptr) {
            set(each[i], "hostaddr", addresses[i]);
        }
        if (ports.size() == count) {
            set(each[i], "port", ports[i]);
        }
    }
    return each;
}

} // namespace

Result<std::vector<Target>> targets(const Options& options)
{
    Result<Parameters> parsed = parse(options.url);
    if (!parsed) {
        return fail(parsed.error());
    }
    Parameters parameters = std::move(*parsed);
    set(parameters, "client_encoding", "UTF8");
    set_default(parameters, "application_name", options.application_name);
    set_default(parameters, "keepalives", "1");
    set_default(parameters, "keepalives_idle", "10");
    set_default(parameters, "keepalives_interval", "5");
    set_default(parameters, "keepalives_count", "3");
    set_default(parameters, "tcp_user_timeout", "15000");
    if (std::getenv("PGTARGETSESSIONATTRS") == nullptr) {
        set_default(parameters, "target_session_attrs", "read-write");
    }

    std::vector<Target> found;
    for (Parameters& one : one_per_host(parameters)) {
        std::string where = describe(one);
        found.push_back({.parameters = std::move(one), .where = std::move(where)});
    }
    return found;
}

std::string without_password(const std::string& url)
{
    const Result<Parameters> parsed = parse(url);
    if (!parsed) {
        return "(a database URL that cannot be read)";
    }
    const std::string* const user = find(*parsed, "user");
    return user == nullptr ? describe(*parsed) : fmt::format("{} as {}", describe(*parsed), *user);
}

} // namespace sagabox::pg
