#include "pg/connection.hpp"

#include "base/failpoint.hpp"
#include "base/invariant.hpp"
#include "pg/exchange.hpp"
#include "pg/script.hpp"
#include "pg/session.hpp"
#include "pg/session_settings.hpp"
#include "pg/target.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sagabox::pg {

struct Connection::Impl {
    Impl(std::unique_ptr<Session> connected, Options given)
        : session(std::move(connected)), options(std::move(given)), where(session->where()),
          server_version(PQserverVersion(session->libpq()))
    {
        if (options.prepare == Options::Prepare::never) {
            settings = session_settings(options);
        }
    }

    [[nodiscard]] Exchange begin();
    Task<void> answer(Exchange& exchange, Deadline deadline);

    std::unique_ptr<Session> session; ///< none once closed
    Options options;
    std::string where;
    int server_version;
    PreparedNames prepared;
    std::optional<Query> settings; ///< sent with every transaction, where sessions are not our own
    bool busy = false;
};

namespace {

Fault closed(const std::string& where)
{
    return {Fault::Kind::connection, fmt::format("The connection is closed: {}", where)};
}

Fault out_of_time(std::string_view what, const std::string& where)
{
    return {Fault::Kind::timeout,
            fmt::format("PostgreSQL did not answer in time: {} ({})", what, where)};
}

// libpq takes texts that end at a NUL, and PostgreSQL has no text with a NUL in it: sent as it is,
// the value would be cut without a word.
std::optional<Fault> unsendable(const std::vector<Query>& queries)
{
    for (const Query& query : queries) {
        for (const std::optional<std::string>& value : query.params.values()) {
            if (value && value->find('\0') != std::string::npos) {
                return Fault(Fault::Kind::bad_input,
                             fmt::format("A parameter holds a NUL character, which PostgreSQL "
                                         "cannot store: {}",
                                         query.statement.name),
                             "22021");
            }
        }
    }
    return std::nullopt;
}

/// One operation on a session. Closes the session unless the operation came to a clean end, which a
/// cancelled task's does not.
class Operation {
public:
    Operation(std::unique_ptr<Session>& session, bool& busy) : session_(session), busy_(busy)
    {
        SAGABOX_INVARIANT(!busy, "two operations at a time would read each other's answers");
        busy_ = true;
    }
    ~Operation()
    {
        busy_ = false;
        if (!clean_) {
            session_.reset();
        }
    }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    void ended_clean() { clean_ = true; }

private:
    std::unique_ptr<Session>& session_;
    bool& busy_;
    bool clean_ = false;
};

} // namespace

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Connection::~Connection() = default;

Task<Result<std::unique_ptr<Connection>>> Connection::open(Executor executor, Options options,
                                                           Deadline deadline)
{
    const Result<std::vector<Target>> hosts = targets(options);
    if (!hosts) {
        co_return fail(hosts.error());
    }
    std::string failures;
    for (std::size_t i = 0; i < hosts->size(); ++i) {
        // A host that does not answer at all must leave time for the ones after it.
        const Instant now = std::chrono::steady_clock::now();
        const auto left = static_cast<int>(hosts->size() - i);
        const Deadline share{now + std::max(deadline.at - now, Instant::duration::zero()) / left};
        Result<std::unique_ptr<Session>> session =
            co_await Session::connect(executor, (*hosts)[i], share);
        if (!session) {
            failures += failures.empty() ? "" : "; ";
            failures += session.error().text();
            continue;
        }
        auto impl = std::make_unique<Impl>(std::move(*session), options);
        std::unique_ptr<Connection> connection(new Connection(std::move(impl)));
        std::vector<Query> first;
        if (!connection->impl_->settings) {
            first.push_back(session_settings(options));
        }
        Result<std::vector<Rows>> told = co_await connection->transact(std::move(first), deadline);
        if (!told) {
            co_return fail(told.error());
        }
        co_return connection;
    }
    co_return fail(Fault::Kind::connection, std::move(failures));
}

Exchange Connection::Impl::begin()
{
    Exchange exchange(session->libpq(),
                      options.prepare == Options::Prepare::named ? &prepared : nullptr, where);
    if (settings) {
        exchange.send_unseen(settings->statement, settings->params);
    }
    return exchange;
}

Task<void> Connection::Impl::answer(Exchange& exchange, Deadline deadline)
{
    PGconn* const connection = session->libpq();
    for (;;) {
        // Reading goes on while there is something to send: a server that cannot get rid of its
        // answers stops reading ours.
        const int unsent = PQflush(connection);
        exchange.take();
        if (exchange.done()) {
            co_return;
        }
        const Socket::Want want = unsent > 0 ? Socket::Want::either : Socket::Want::read;
        const Socket::Woken woken = co_await session->socket().wait(want, deadline);
        if (woken == Socket::Woken::deadline) {
            exchange.broke(out_of_time(exchange.current(), where));
        } else if (PQconsumeInput(connection) == 0) {
            exchange.take();
            if (!exchange.done()) {
                exchange.broke(session->connection_fault("Connection lost to"));
            }
        }
    }
}

Task<Result<Rows>> Connection::run(Query query, Deadline deadline)
{
    std::vector<Query> one;
    one.push_back(std::move(query));
    Result<std::vector<Rows>> rows = co_await transact(std::move(one), deadline);
    if (!rows) {
        co_return fail(std::move(rows.error()));
    }
    co_return std::move(rows->front());
}

Task<Result<std::vector<Rows>>> Connection::transact(std::vector<Query> queries, Deadline deadline)
{
    co_return co_await transact(std::move(queries), nullptr, nullptr, deadline);
}

Task<Result<std::vector<Rows>>> Connection::transact(std::vector<Query> queries, Continue more,
                                                     void* context, Deadline deadline)
{
    if (!impl_->session) {
        co_return fail(closed(impl_->where));
    }
    if (std::optional<Fault> fault = unsendable(queries)) {
        co_return fail(std::move(*fault));
    }
    Operation operation(impl_->session, impl_->busy);
    Exchange exchange = impl_->begin();
    for (const Query& query : queries) {
        exchange.send(query.statement, query.params);
    }

    std::vector<Query> rest; // outlives the exchange's names
    if (more != nullptr) {
        exchange.request_answers();
        co_await impl_->answer(exchange, deadline);
        if (!exchange.fault()) {
            rest = more(exchange.rows(), context);
            if (std::optional<Fault> fault = unsendable(rest)) {
                exchange.spoil(std::move(*fault));
            } else {
                for (const Query& query : rest) {
                    exchange.send(query.statement, query.params);
                }
            }
        }
    }
    if (!exchange.fault() || !exchange.fault()->breaks_connection()) {
        exchange.sync();
        // Sent, and whether it took effect is not known here: what tests ask for by this name.
        failpoint::pass("before_commit_answer");
        co_await impl_->answer(exchange, deadline);
    }

    if (const std::optional<Fault>& fault = exchange.fault()) {
        if (!fault->breaks_connection()) {
            operation.ended_clean();
        }
        co_return fail(*fault);
    }
    if (PQtransactionStatus(impl_->session->libpq()) != PQTRANS_IDLE) {
        co_return fail(Fault::Kind::refused,
                       "A statement began a transaction of its own; it was rolled back");
    }
    operation.ended_clean();
    co_return std::move(exchange.rows());
}

Task<Result<void>> Connection::script(std::string text, Deadline deadline)
{
    if (!impl_->session) {
        co_return fail(closed(impl_->where));
    }
    Operation operation(impl_->session, impl_->busy);
    if (impl_->settings) {
        text.insert(0, session_settings_text(impl_->options));
    }
    const std::optional<Fault> fault =
        co_await run_script(*impl_->session, std::move(text), deadline);
    if (!fault || !fault->breaks_connection()) {
        operation.ended_clean();
    }
    if (fault) {
        co_return fail(*fault);
    }
    co_return Result<void>();
}

Task<Result<std::optional<Notification>>> Connection::wait_notification(Deadline deadline)
{
    if (!impl_->session) {
        co_return fail(closed(impl_->where));
    }
    Operation operation(impl_->session, impl_->busy);
    // Nothing is under way on the wire, so being cut short does no harm.
    operation.ended_clean();
    PGconn* const connection = impl_->session->libpq();
    for (;;) {
        if (PGnotify* const notify = PQnotifies(connection)) {
            Notification notification{.channel = notify->relname, .payload = notify->extra};
            PQfreemem(notify);
            co_return std::optional<Notification>(std::move(notification));
        }
        const Socket::Woken woken =
            co_await impl_->session->socket().wait(Socket::Want::read, deadline);
        if (woken == Socket::Woken::deadline) {
            co_return std::optional<Notification>();
        }
        if (PQconsumeInput(connection) == 0) {
            Fault fault = impl_->session->connection_fault("Connection lost to");
            impl_->session.reset();
            co_return fail(std::move(fault));
        }
    }
}

bool Connection::open() const
{
    return impl_->session != nullptr;
}

int Connection::server_version() const
{
    return impl_->server_version;
}

const std::string& Connection::where() const
{
    return impl_->where;
}

} // namespace sagabox::pg
