#include "pg/script.hpp"

#include "pg/exchange.hpp"
#include "pg/session.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace sagabox::pg {

namespace {

struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
};

enum class Progress { waiting, answered };

/// Takes what has arrived; the first fault stays.
Progress take_answers(const Session& session, std::optional<Fault>& fault)
{
    while (PQisBusy(session.libpq()) == 0) {
        const std::unique_ptr<PGresult, Clear> result(PQgetResult(session.libpq()));
        if (!result) {
            return Progress::answered;
        }
        switch (PQresultStatus(result.get())) {
        case PGRES_FATAL_ERROR:
        case PGRES_BAD_RESPONSE:
            if (!fault) {
                fault = fault_of(*result, "a script", session.where());
            }
            break;
        case PGRES_COPY_IN:
        case PGRES_COPY_OUT:
        case PGRES_COPY_BOTH:
            fault = Fault(Fault::Kind::connection, "A script must not copy to or from the client");
            return Progress::answered;
        default:
            break;
        }
    }
    return Progress::waiting;
}

Fault unknown(Fault fault)
{
    fault.mark_outcome_unknown();
    return fault;
}

/// Sends statements and reads their answers, outside pipeline mode.
Task<std::optional<Fault>> send_and_read(Session& session, std::string text, Deadline deadline)
{
    PGconn* const connection = session.libpq();
    if (PQsendQuery(connection, text.c_str()) != 1) {
        co_return session.connection_fault("Could not send a script to");
    }
    std::optional<Fault> fault;
    for (;;) {
        const int unsent = PQflush(connection);
        if (take_answers(session, fault) == Progress::answered) {
            break;
        }
        const Socket::Want want = unsent > 0 ? Socket::Want::either : Socket::Want::read;
        const Socket::Woken woken = co_await session.socket().wait(want, deadline);
        if (woken == Socket::Woken::deadline) {
            co_return unknown(Fault(
                Fault::Kind::timeout,
                fmt::format("PostgreSQL did not answer a script in time ({})", session.where())));
        }
        if (PQconsumeInput(connection) == 0) {
            take_answers(session, fault);
            co_return unknown(fault ? *fault : session.connection_fault("Connection lost to"));
        }
    }
    co_return fault;
}

} // namespace

Task<std::optional<Fault>> run_script(Session& session, std::string text, Deadline deadline)
{
    PGconn* const connection = session.libpq();
    if (text.find('\0') != std::string::npos) {
        co_return Fault(Fault::Kind::bad_input, "A script holds a NUL character");
    }
    if (PQexitPipelineMode(connection) != 1) {
        co_return session.connection_fault("Could not send a script to");
    }
    const std::optional<Fault> fault = co_await send_and_read(session, std::move(text), deadline);
    if (fault && fault->breaks_connection()) {
        // An error of libpq's own has no code: the connection broke, and no answer tells us where.
        co_return fault->code().empty() ? unknown(*fault) : *fault;
    }
    if (fault && PQtransactionStatus(connection) == PQTRANS_INERROR) {
        // A transaction of the script's own has failed, and the rest of the script with its commit
        // was not looked at. The error is what the caller must hear of.
        const std::optional<Fault> lost = co_await send_and_read(session, "rollback", deadline);
        if (lost) {
            co_return lost;
        }
    }
    if (PQtransactionStatus(connection) != PQTRANS_IDLE) {
        co_return Fault(Fault::Kind::connection,
                        "A script left a transaction open; it was rolled back");
    }
    if (PQenterPipelineMode(connection) != 1) {
        co_return session.connection_fault("Could not go on with");
    }
    co_return fault;
}

} // namespace sagabox::pg
