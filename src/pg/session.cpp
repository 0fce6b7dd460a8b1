#include "pg/session.hpp"

#include "base/log.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sagabox::pg {

namespace {

std::string on_one_line(std::string_view message)
{
    std::string line;
    for (const char c : message) {
        const bool blank = c == '\n' || c == '\t' || c == ' ';
        if (!blank) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    while (!line.empty() && line.back() == ' ') {
        line.pop_back();
    }
    return line;
}

void log_notice(void*, const char* message)
{
    log::debug("database", "{}", on_one_line(message));
}

PGconn* begin_to_connect(const Target& target)
{
    std::vector<const char*> keywords;
    std::vector<const char*> values;
    for (const auto& [keyword, value] : target.parameters) {
        keywords.push_back(keyword.c_str());
        values.push_back(value.c_str());
    }
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    return PQconnectStartParams(keywords.data(), values.data(), 0);
}

} // namespace

Session::Session(Executor executor, PGconn* connection, std::string where)
    : connection_(connection), socket_(std::move(executor)), where_(std::move(where))
{
}

Session::~Session() = default;

Fault Session::connection_fault(std::string_view what) const
{
    return {Fault::Kind::connection,
            fmt::format("{} {}: {}", what, where_, on_one_line(PQerrorMessage(libpq())))};
}

Task<Result<std::unique_ptr<Session>>> Session::connect(Executor executor, Target target,
                                                        Deadline deadline)
{
    static constexpr std::string_view failure = "No connection to";
    PGconn* const connection = begin_to_connect(target);
    if (connection == nullptr) {
        co_return fail(Fault::Kind::connection, "No memory for a connection");
    }
    std::unique_ptr<Session> session(new Session(executor, connection, target.where));
    if (PQstatus(connection) == CONNECTION_BAD) {
        co_return fail(session->connection_fault(failure));
    }
    PQsetNoticeProcessor(connection, &log_notice, nullptr);

    PostgresPollingStatusType step = PGRES_POLLING_WRITING;
    while (step != PGRES_POLLING_OK) {
        if (step == PGRES_POLLING_FAILED) {
            co_return fail(session->connection_fault(failure));
        }
        // A poll may close the descriptor and open another one, even with the same number.
        session->socket_.attach(PQsocket(connection));
        const Socket::Want want =
            step == PGRES_POLLING_READING ? Socket::Want::read : Socket::Want::write;
        const Socket::Woken woken = co_await session->socket_.wait(want, deadline);
        session->socket_.detach();
        if (woken == Socket::Woken::deadline) {
            co_return fail(Fault::Kind::connection,
                           fmt::format("{} {}: no answer in time", failure, target.where));
        }
        step = PQconnectPoll(connection);
    }

    if (PQsetnonblocking(connection, 1) != 0 || PQenterPipelineMode(connection) != 1) {
        co_return fail(session->connection_fault(failure));
    }
    session->socket_.attach(PQsocket(connection));
    co_return session;
}

} // namespace sagabox::pg
