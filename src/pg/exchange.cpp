#include "pg/exchange.hpp"

#include "base/invariant.hpp"
#include "pg/rows_builder.hpp"
#include "pg/sqlstate.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace sagabox::pg {

namespace {

struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
};

std::string_view field(const PGresult& result, int code)
{
    const char* const value = PQresultErrorField(&result, code);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

bool ended_the_session(const PGresult& result)
{
    const std::string_view severity = field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity == "FATAL" || severity == "PANIC";
}

// Raised for a prepared statement after the table under it has changed: the session's plan is of no
// use any more, a new session's will be.
bool is_stale_plan(const PGresult& result, std::string_view code)
{
    return code == "0A000" && field(result, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery";
}

} // namespace

Fault fault_of(const PGresult& result, std::string_view statement, std::string_view where)
{
    const std::string_view code = field(result, PG_DIAG_SQLSTATE);
    if (code.empty()) {
        // Only libpq's own errors have no code, and it has them for connections that broke.
        const std::string_view message = PQresultErrorMessage(&result);
        return {Fault::Kind::connection, fmt::format("Connection lost to {}: {}", where,
                                                     message.substr(0, message.find('\n')))};
    }
    const std::string_view constraint = field(result, PG_DIAG_CONSTRAINT_NAME);
    // DETAIL stays out: it quotes whole rows, and rows hold payloads.
    std::string text = fmt::format("PostgreSQL did not run {}: {} (SQLSTATE {}{}{}, {})",
                                   statement.empty() ? "a statement" : statement,
                                   field(result, PG_DIAG_MESSAGE_PRIMARY), code,
                                   constraint.empty() ? "" : ", constraint ", constraint, where);
    if (code == "26000" || code == "42P05") {
        text += "; behind a pooler in transaction mode, switch prepared statements off";
    }
    const bool session_is_over = ended_the_session(result) || is_stale_plan(result, code);
    return {session_is_over ? Fault::Kind::connection : kind_of_sqlstate(code), std::move(text),
            std::string(code)};
}

Exchange::Exchange(PGconn* connection, PreparedNames* prepared, std::string_view where)
    : connection_(connection), prepared_(prepared), where_(where)
{
}

void Exchange::send(const Statement& statement, const Params& params)
{
    send_as(Part::rows, statement, params);
}

void Exchange::send_unseen(const Statement& statement, const Params& params)
{
    send_as(Part::unseen, statement, params);
}

void Exchange::send_as(Part part, const Statement& statement, const Params& params)
{
    values_.clear();
    for (const std::optional<std::string>& value : params.values()) {
        values_.push_back(value ? value->c_str() : nullptr);
    }
    const int count = static_cast<int>(values_.size());
    if (prepared_ == nullptr || statement.name.empty()) {
        const std::string text(statement.text);
        sent(PQsendQueryParams(connection_, text.c_str(), count, nullptr, values_.data(), nullptr,
                               nullptr, 0),
             part, statement.name);
        return;
    }
    const auto [name, is_new] = [&] {
        const auto known = prepared_->find(statement.name);
        return known != prepared_->end() ? std::pair(known, false)
                                         : prepared_->emplace(statement.name);
    }();
    if (is_new) {
        const std::string text(statement.text);
        sent(PQsendPrepare(connection_, name->c_str(), text.c_str(), 0, nullptr), Part::prepare,
             statement.name);
    }
    sent(
        PQsendQueryPrepared(connection_, name->c_str(), count, values_.data(), nullptr, nullptr, 0),
        part, statement.name);
}

void Exchange::request_answers()
{
    if (PQsendFlushRequest(connection_) != 1) {
        broke(Fault(Fault::Kind::connection, PQerrorMessage(connection_)));
    }
}

void Exchange::spoil(Fault fault)
{
    fault_ = std::move(fault);
    sent(PQsendDescribePrepared(connection_, "sagabox: roll back"), Part::spoiler, {});
}

void Exchange::sync()
{
    sync_sent_ = true;
    sent(PQpipelineSync(connection_), Part::sync, "commit");
}

void Exchange::sent(int accepted, Part part, std::string_view name)
{
    if (accepted != 1) {
        broke(Fault(Fault::Kind::connection, fmt::format("libpq could not send {} ({}): {}", name,
                                                         where_, PQerrorMessage(connection_))));
        return;
    }
    expected_.push_back({.part = part, .name = name});
}

std::string_view Exchange::current() const
{
    return next_ < expected_.size() ? expected_[next_].name : std::string_view();
}

bool Exchange::done() const
{
    if (fault_ && fault_->breaks_connection()) {
        return true;
    }
    return sync_sent_ ? synced_ : fault_.has_value() || next_ == expected_.size();
}

void Exchange::broke(Fault fault)
{
    if (fault_ && !fault_->breaks_connection()) {
        // Refused beforehand: the server had nothing left to commit.
        fault_ = Fault(fault.kind(), fmt::format("{}; then: {}", fault_->text(), fault.text()),
                       fault_->code());
        return;
    }
    // The server's own last words say more than a closed socket.
    if (!fault_) {
        fault_ = std::move(fault);
    }
    if (sync_sent_ && !synced_) {
        fault_->mark_outcome_unknown();
    }
}

void Exchange::take()
{
    // libpq ends each statement's results with a null. One before each Sync result is all that
    // comes on top of that, so more in a row would be a stream that we do not understand.
    int nulls_in_a_row = 0;
    while (!done() && PQisBusy(connection_) == 0) {
        const std::unique_ptr<PGresult, Clear> result(PQgetResult(connection_));
        if (result) {
            nulls_in_a_row = 0;
            take_one(*result);
            continue;
        }
        if (++nulls_in_a_row > 2) {
            broke(Fault(Fault::Kind::connection,
                        fmt::format("PostgreSQL's answers ended early ({}): {}", where_,
                                    PQerrorMessage(connection_))));
            return;
        }
        end_of_one();
    }
}

void Exchange::end_of_one()
{
    if (next_ < expected_.size() && expected_[next_].part != Part::sync) {
        ++next_;
    }
}

void Exchange::take_one(const PGresult& result)
{
    SAGABOX_INVARIANT(next_ < expected_.size(), "an answer would go to the wrong statement");
    const Part part = expected_[next_].part;
    switch (PQresultStatus(&result)) {
    case PGRES_PIPELINE_SYNC:
        ++next_;
        synced_ = true;
        return;
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
        if (part == Part::rows) {
            rows_.push_back(Rows::Builder::copy(result));
        }
        return;
    case PGRES_FATAL_ERROR:
    case PGRES_BAD_RESPONSE:
        take_error(result);
        [[fallthrough]];
    case PGRES_PIPELINE_ABORTED:
        if (part == Part::prepare && prepared_ != nullptr) {
            prepared_->erase(prepared_->find(expected_[next_].name));
        }
        return;
    default:
        broke(Fault(Fault::Kind::connection,
                    fmt::format("A statement that copies does not belong here: {} ({})", current(),
                                where_)));
    }
}

void Exchange::take_error(const PGresult& result)
{
    if (fault_) {
        return; // the first is the cause
    }
    fault_ = fault_of(result, current(), where_);
    // An error is the server's word that it rolled back. The end of the session is not: it may come
    // between the commit and the news of it. Neither is an error of libpq's own, which has no code.
    if (sync_sent_ && (ended_the_session(result) || fault_->code().empty())) {
        fault_->mark_outcome_unknown();
    }
}

} // namespace sagabox::pg
