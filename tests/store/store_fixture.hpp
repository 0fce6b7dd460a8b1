#pragma once

#include "base/scope.hpp"
#include "store/claims.hpp"
#include "store/journal.hpp"
#include "store/migrate.hpp"
#include "store/session.hpp"
#include "testing/postgres.hpp"
#include "testing/run.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

namespace sagabox::store {

using namespace std::chrono_literals;

/// A migrated database, a way into it behind the store's back, and a worker's means, step by step.
class StoreTest : public ::testing::Test {
protected:
    static constexpr std::chrono::seconds patience{20};

    StoreTest()
    {
        const auto migrated = testing::run(
            context, migrate(context.get_executor(), options(), Deadline::after(patience)));
        if (!migrated) {
            throw std::runtime_error(migrated.error().text());
        }
        connection = open();
    }

    [[nodiscard]] pg::Options options() const
    {
        pg::Options wanted;
        wanted.url = url;
        for (auto& setting : planner_settings()) {
            wanted.settings.push_back(std::move(setting));
        }
        return wanted;
    }

    std::unique_ptr<pg::Connection> open()
    {
        auto opened = testing::run(context, pg::Connection::open(context.get_executor(), options(),
                                                                 Deadline::after(patience)));
        if (!opened) {
            throw std::runtime_error(opened.error().text());
        }
        return std::move(*opened);
    }

    std::int64_t emit(const std::string& aggregate, const std::string& type = "Made")
    {
        return std::stoll(sql.one("insert into outbox_events (aggregate_id, event_type, payloads) "
                                  "values ($1, $2, '{}') returning id",
                                  {aggregate, type}));
    }

    [[nodiscard]] std::vector<std::int64_t> ids_of(const Result<Claimed>& claimed)
    {
        if (!claimed) {
            throw std::runtime_error(claimed.error().text());
        }
        std::vector<std::int64_t> ids;
        for (const Held& held : claimed->held) {
            ids.push_back(held.lease.id);
        }
        return ids;
    }

    Result<Claimed> ready(const Claims& by, Window window = {}, int limit = 100)
    {
        return testing::run(context,
                            by.ready(*connection, window, limit, Deadline::after(patience)));
    }
    Result<Claimed> heads(const Claims& by, std::vector<std::string> aggregates)
    {
        return testing::run(
            context, by.heads(*connection, std::move(aggregates), Deadline::after(patience)));
    }
    Result<Claimed> due(const Claims& by, bool take_expired = true)
    {
        return testing::run(context,
                            by.due(*connection, 100, take_expired, Deadline::after(patience)));
    }
    Result<Claimed> letters(const Claims& by, bool take_expired = true)
    {
        return testing::run(context,
                            by.letters(*connection, 100, take_expired, Deadline::after(patience)));
    }

    /// The lease of the only event that there is to take.
    Lease claim_one(const Claims& by)
    {
        const Result<Claimed> claimed = ready(by);
        if (!claimed || claimed->held.size() != 1) {
            throw std::runtime_error("not exactly one event could be taken");
        }
        return claimed->held.front().lease;
    }

    static Entry entry_for(const Lease& lease)
    {
        Entry entry;
        entry.lease = lease;
        entry.event = {lease.id};
        entry.aggregate_id = "order-1";
        entry.event_type = "Made";
        entry.row_type = "Made";
        return entry;
    }

    static core::StepResult row_of(std::int64_t event, const std::string& destination,
                                   int attempt = 1)
    {
        core::StepResult row;
        row.event_id = {event};
        row.cause = {event};
        row.destination = destination;
        row.attempt = attempt;
        row.outcome = core::Outcome::succeeded;
        row.endpoint_url = "http://localhost/" + destination;
        row.http_method = "POST";
        row.response_status = 200;
        row.response = json::Value("fine");
        return row;
    }

    [[nodiscard]] std::string status_of(std::int64_t event)
    {
        return sql.one("select status from outbox_events where id = $1", {std::to_string(event)});
    }

    asio::io_context context;
    std::string url = testing::Postgres::instance().fresh_database();
    testing::Sql sql{url};
    std::unique_ptr<pg::Connection> connection;
    Claims claims{"worker-1", 30s, Claims::Order::aggregate};
    Claims other{"worker-2", 30s, Claims::Order::aggregate};
};

} // namespace sagabox::store
