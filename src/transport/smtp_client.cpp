#include "transport/smtp_client.hpp"

#include "transport/smtp_connection.hpp"
#include "transport/smtp_dialogue.hpp"
#include "transport/smtp_syntax.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <utility>

#include <asio/error.hpp>
#include <asio/system_error.hpp>

namespace sagabox::transport {

namespace {

/// What two messages must agree in to share a connection.
using Way = std::tuple<std::string, std::uint16_t, SmtpRequest::Security, std::string, std::string,
                       std::string, std::string>;

Way way_of(const SmtpRequest& request)
{
    return {request.host,     request.port,    request.security,   request.user,
            request.password, request.ca_file, request.client_name};
}

} // namespace

struct SmtpClient::Impl {
    Impl(Executor e, Options o) : executor(std::move(e)), options(o), loop(executor, 0) {}

    struct Idle {
        Way way;
        Instant since;
        std::unique_ptr<SmtpConnection> connection;
    };

    [[nodiscard]] std::unique_ptr<SmtpConnection> take_idle(const Way& way);
    void put_back(Way way, std::unique_ptr<SmtpConnection> connection);

    Executor executor;
    Options options;
    CurlLoop loop;
    std::deque<Idle> idle; ///< oldest first
    std::set<SmtpConnection*> busy;
    bool closed = false;
};

namespace {

/// Enters a connection where the client's end finds it, for as long as a message goes over it.
class Busy {
public:
    Busy(std::set<SmtpConnection*>& all, SmtpConnection& connection) : all_(all), mine_(&connection)
    {
        all_.insert(mine_);
    }
    ~Busy() { all_.erase(mine_); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

private:
    std::set<SmtpConnection*>& all_;
    SmtpConnection* mine_;
};

} // namespace

std::unique_ptr<SmtpConnection> SmtpClient::Impl::take_idle(const Way& way)
{
    const Instant oldest = std::chrono::steady_clock::now() - options.idle_for;
    while (!idle.empty() && idle.front().since < oldest) {
        idle.pop_front();
    }
    // The newest is the likeliest to live.
    for (auto it = idle.rbegin(); it != idle.rend();) {
        if (it->way != way) {
            ++it;
            continue;
        }
        std::unique_ptr<SmtpConnection> connection = std::move(it->connection);
        it = std::make_reverse_iterator(idle.erase(std::next(it).base()));
        if (!connection->has_ended()) {
            return connection;
        }
    }
    return nullptr;
}

void SmtpClient::Impl::put_back(Way way, std::unique_ptr<SmtpConnection> connection)
{
    idle.push_back({std::move(way), std::chrono::steady_clock::now(), std::move(connection)});
    while (idle.size() > options.idle_connections) {
        idle.pop_front();
    }
}

SmtpClient::SmtpClient(Executor executor, Options options)
    : impl_(std::make_shared<Impl>(std::move(executor), options))
{
}

SmtpClient::~SmtpClient()
{
    impl_->closed = true;
    impl_->loop.abort();
    impl_->idle.clear();
    for (SmtpConnection* connection : impl_->busy) {
        connection->cut();
    }
}

Task<SmtpAnswer> SmtpClient::send(SmtpRequest request)
{
    const Instant began_at = std::chrono::steady_clock::now();
    SmtpAnswer answer;
    if (const std::string_view reason = why_refused(request); !reason.empty()) {
        answer.stage = SmtpAnswer::Stage::refused;
        answer.error = reason;
        co_return answer;
    }
    // The client may be destroyed while a message is under way.
    const std::shared_ptr<Impl> impl = impl_;
    const Deadline deadline{began_at + request.timeout};
    const Way way = way_of(request);

    std::unique_ptr<SmtpConnection> connection = impl->take_idle(way);
    bool settled = false;
    if (connection) {
        const Busy busy(impl->busy, *connection);
        settled = co_await hold_dialogue(*connection, request, answer, deadline);
    }
    if (!settled) {
        // Nothing of the message has left: at most its sender's address.
        connection.reset();
        if (impl->closed) {
            throw asio::system_error(asio::error::operation_aborted);
        }
        answer = SmtpAnswer();
        connection =
            std::make_unique<SmtpConnection>(impl->executor, impl->loop, impl->options.network);
        const Busy busy(impl->busy, *connection);
        std::optional<SmtpConnection::Failure> failure =
            co_await connection->open(request, impl->options.connect_timeout, deadline);
        if (failure) {
            answer.stage = failure->stage;
            answer.reply = std::move(failure->reply);
            answer.error = std::move(failure->error);
            answer.rcpt.assign(request.recipients.size(), SmtpReply());
        } else {
            static_cast<void>(co_await hold_dialogue(*connection, request, answer, deadline));
        }
    }
    const bool taken = answer.stage == SmtpAnswer::Stage::final_dot && answer.reply.code != 0;
    if (taken && connection->is_at_rest() && !impl->closed) {
        impl->put_back(way, std::move(connection));
    }
    answer.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began_at);
    co_return answer;
}

} // namespace sagabox::transport
