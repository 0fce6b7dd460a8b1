#pragma once

#include "pg/connection.hpp"
#include "testing/postgres.hpp"
#include "testing/run.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

namespace sagabox::pg {

using namespace std::chrono_literals;

/// A fresh database, a way into it behind the connection's back, and connections run step by step.
class ConnectionFixture : public ::testing::Test {
protected:
    using Opened = Result<std::unique_ptr<Connection>>;

    Options options() const
    {
        Options wanted;
        wanted.url = url;
        return wanted;
    }

    Opened try_open(Options wanted, std::chrono::milliseconds timeout = 10s)
    {
        return sagabox::testing::run(
            context,
            Connection::open(context.get_executor(), std::move(wanted), Deadline::after(timeout)));
    }

    std::unique_ptr<Connection> open(Options wanted)
    {
        Opened opened = try_open(std::move(wanted));
        if (!opened) {
            throw std::runtime_error(opened.error().text());
        }
        return std::move(*opened);
    }
    std::unique_ptr<Connection> open() { return open(options()); }

    Result<Rows> run(Connection& connection, Query query, std::chrono::milliseconds timeout = 10s)
    {
        return sagabox::testing::run(context,
                                     connection.run(std::move(query), Deadline::after(timeout)));
    }
    Result<Rows> run(Connection& connection, std::string_view text)
    {
        return run(connection, query("", text));
    }

    Result<std::vector<Rows>> transact(Connection& connection, std::vector<Query> queries)
    {
        return sagabox::testing::run(context,
                                     connection.transact(std::move(queries), Deadline::after(10s)));
    }
    Result<std::vector<Rows>> transact(Connection& connection, std::vector<Query> queries,
                                       Connection::Continue more, void* data)
    {
        return sagabox::testing::run(
            context, connection.transact(std::move(queries), more, data, Deadline::after(10s)));
    }

    static Query query(std::string_view name, std::string_view text, Params params = {})
    {
        return {.statement = {.name = name, .text = text}, .params = std::move(params)};
    }

    asio::io_context context;
    std::string url = sagabox::testing::Postgres::instance().fresh_database();
    sagabox::testing::Sql sql{url};
};

} // namespace sagabox::pg
