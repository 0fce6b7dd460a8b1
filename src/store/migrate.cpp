#include "store/migrate.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "sql.hpp"

namespace sagabox::store {

namespace {

constexpr std::chrono::seconds connect_timeout{10};
constexpr std::chrono::milliseconds pause_between_tries{500};
constexpr std::string_view lock_not_available = "55P03";
constexpr std::string_view unique_violation = "23505";

const pg::Statement read_version{"read_version",
                                 "select coalesce(max(version), 0) from sagabox_schema"};

const pg::Statement find_schema{"find_schema", "select to_regnamespace($1::text) is not null, "
                                               "to_regclass('sagabox_schema') is not null"};

/// A name inside double quotes.
std::string quoted(const std::string& name)
{
    std::string out = "\"";
    for (const char c : name) {
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return out + "\"";
}

/// Whoever comes second waits here, and then finds the version that the first has made.
std::string in_turn(const std::string& script)
{
    return "begin; select pg_advisory_xact_lock(7316, 0);\n" + script + "\ncommit;";
}

std::string guarded(int version, std::string_view name, std::string_view text)
{
    // The version row is the guard: its primary key stops whoever did not see it.
    // While a statement waits for a table that a transaction uses, everybody who comes later waits
    // behind it, every producer too: so it waits only for a moment at a time.
    return in_turn(fmt::format("insert into sagabox_schema (version, name) values ({}, '{}');\n"
                               "set local lock_timeout = '1s';\n{}",
                               version, name, text));
}

Task<Result<int>> version_of(pg::Connection& connection, Deadline deadline)
{
    pg::Query query{read_version, {}};
    const Result<pg::Rows> rows = co_await connection.run(std::move(query), deadline);
    if (!rows) {
        co_return fail(rows.error());
    }
    co_return static_cast<int>(rows->integer(0, 0));
}

} // namespace

Task<Result<Migrated>> migrate(Executor executor, pg::Options options, Deadline deadline)
{
    const std::string schema = options.schema;
    // A host that swallows packets must not keep a caller that tries again from saying so.
    const Deadline connected_by{std::min(deadline.at, Deadline::after(connect_timeout).at)};
    Result<std::unique_ptr<pg::Connection>> opened =
        co_await pg::Connection::open(executor, std::move(options), connected_by);
    if (!opened) {
        co_return fail(opened.error());
    }
    pg::Connection& connection = **opened;
    // Only what is missing is made: a role that may use the tables and not make any is enough where
    // somebody else has migrated.
    pg::Query look{find_schema, {}};
    look.params.text(quoted(schema));
    const Result<pg::Rows> there = co_await connection.run(std::move(look), deadline);
    if (!there) {
        co_return fail(there.error());
    }
    std::string prepare;
    if (!there->boolean(0, 0)) {
        prepare += fmt::format("create schema if not exists {};\n", quoted(schema));
    }
    if (!there->boolean(0, 1)) {
        prepare += fmt::format("create table if not exists {}.sagabox_schema ("
                               "version int primary key, name text not null, "
                               "applied_at timestamptz not null default now());",
                               quoted(schema));
    }
    if (!prepare.empty()) {
        prepare = in_turn(prepare);
        const Result<void> prepared = co_await connection.script(std::move(prepare), deadline);
        if (!prepared) {
            co_return fail(prepared.error());
        }
    }

    Migrated migrated;
    const Result<int> before = co_await version_of(connection, deadline);
    if (!before) {
        co_return fail(before.error());
    }
    migrated.before = *before;
    migrated.after = *before;
    const int newest = static_cast<int>(sql::migrations.size());
    if (*before > newest) {
        co_return fail(
            Fault::Kind::bad_input,
            fmt::format("the schema in {} is version {}, and this program knows versions "
                        "up to {}: run the newer sagabox that made it",
                        connection.where(), *before, newest));
    }
    while (migrated.after < newest) {
        const pg::Statement& next = sql::migrations[static_cast<std::size_t>(migrated.after)];
        std::string script = guarded(migrated.after + 1, next.name, next.text);
        const Result<void> applied = co_await connection.script(std::move(script), deadline);
        if (applied) {
            migrated.applied.emplace_back(next.name);
        } else if (applied.error().code() == lock_not_available && !deadline.passed()) {
            log::info("database", "the migration {} waits for transactions that use its tables",
                      next.name);
            asio::steady_timer pause(executor, pause_between_tries);
            co_await pause.async_wait(asio::use_awaitable);
        } else if (applied.error().code() != unique_violation) {
            co_return fail(applied.error());
        }
        // Where another process came first, or had to be let go first, the version row tells where
        // we are.
        const Result<int> now = co_await version_of(connection, deadline);
        if (!now) {
            co_return fail(now.error());
        }
        migrated.after = *now;
    }
    co_return migrated;
}

} // namespace sagabox::store
