#include "shop/database.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace shop {
namespace {

constexpr std::size_t most_kept = 16;

// A host that swallows packets would otherwise hold a thread for minutes.
std::string with_timeout(std::string url)
{
    if (url.find("connect_timeout") != std::string::npos) {
        return url;
    }
    if (url.find("://") == std::string::npos) {
        return url + " connect_timeout=5";
    }
    return url + (url.find('?') == std::string::npos ? "?" : "&") + "connect_timeout=5";
}

bool server_is_away(const std::string& state)
{
    constexpr std::array<std::string_view, 6> states{"57P01", "57P02", "57P03",
                                                     "25006", "53300", "08006"};
    return std::find(states.begin(), states.end(), state) != states.end();
}

bool schema_is_missing(const std::string& state)
{
    return state == "42P01" || state == "42883" || state == "3F000";
}

} // namespace

Database::Database(std::string url, std::string schema)
    : url_(with_timeout(std::move(url))), schema_(std::move(schema))
{
}

void Database::transact(const std::function<void(pqxx::work&)>& body)
{
    for (int attempt = 1;; ++attempt) {
        try {
            auto connection = attempt == 1 ? take() : open();
            {
                pqxx::work transaction(*connection);
                body(transaction);
                transaction.commit();
            }
            give_back(std::move(connection));
            return;
        } catch (const pqxx::in_doubt_error&) {
            throw Unavailable(
                "The database was lost while it stored this; look before you try again");
        } catch (const pqxx::sql_error& error) {
            if (schema_is_missing(error.sqlstate())) {
                throw Unavailable("The database has no tables yet; run sagabox migrate first");
            }
            if (!server_is_away(error.sqlstate())) {
                throw;
            }
        } catch (const pqxx::broken_connection&) {
        }
        forget_kept();
        if (attempt == 2) {
            throw Unavailable("The database cannot be reached; try again in a moment");
        }
    }
}

std::unique_ptr<pqxx::connection> Database::take()
{
    {
        const std::lock_guard lock(mutex_);
        if (!kept_.empty()) {
            auto connection = std::move(kept_.back());
            kept_.pop_back();
            return connection;
        }
    }
    return open();
}

std::unique_ptr<pqxx::connection> Database::open() const
{
    auto connection = std::make_unique<pqxx::connection>(url_);
    connection->set_variable("search_path", connection->quote_name(schema_));
    connection->set_variable("statement_timeout", "'10s'");
    connection->set_variable("client_min_messages", "warning");
    connection->set_variable("application_name", "'sagabox demo shop'");
    return connection;
}

void Database::give_back(std::unique_ptr<pqxx::connection> connection)
{
    const std::lock_guard lock(mutex_);
    if (kept_.size() < most_kept) {
        kept_.push_back(std::move(connection));
    }
}

void Database::forget_kept()
{
    const std::lock_guard lock(mutex_);
    kept_.clear();
}

} // namespace shop
