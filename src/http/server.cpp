#include "http/server.hpp"

#include "base/log.hpp"
#include "http/buffered_stream.hpp"
#include "http/framing.hpp"
#include "http/listen.hpp"
#include "http/pool.hpp"
#include "http/target.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <microhttpd.h>
#include <unistd.h>

namespace sagabox::http {
namespace {

// How long a stop waits for answers that are ready but not yet sent to a slow client.
constexpr std::chrono::seconds send_grace{2};

Response problem(int status, std::string_view title)
{
    return {.status = status,
            .headers = {{"Content-Type", "application/problem+json"},
                        {"Cache-Control", "no-store"},
                        {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
                        {"X-Content-Type-Options", "nosniff"}},
            .body =
                fmt::format(R"({{"type":"about:blank","title":"{}","status":{}}})", title, status),
            .delay = {}};
}

/// One request on its way through: from its first line to the last byte of its answer.
struct Exchange {
    enum class Phase {
        fresh,     ///< the request line is there, the headers are not yet looked at
        reading,   ///< the body is coming in
        working,   ///< suspended: a handler, or a delay, has it
        ready,     ///< the answer stands in `response`, libmicrohttpd has not asked for it yet
        answering, ///< libmicrohttpd sends the answer
    };

    MHD_Connection* connection = nullptr;
    std::atomic<Phase> phase = Phase::fresh;
    std::string target;
    Request request;
    bool head = false;
    std::size_t max_body = 0;
    std::size_t received = 0;
    bool begun = false;     ///< a handler has it or had it
    bool abandoned = false; ///< closed without an answer
    Response response;
    std::shared_ptr<BufferedStream> stream;
};

struct StreamRoute {
    std::string path;
    Server::StreamHandler handler;
    Server::Admit admit;
};

class MicroServer final : public Server {
public:
    MicroServer(Options options, Handler handler)
        : options_(std::move(options)), handler_(std::move(handler)), pool_(options_.threads)
    {
    }

    ~MicroServer() override { stop(); }

    Result<void> open();

    void serve_stream(std::string path, StreamHandler handler, Admit admit) override
    {
        const std::lock_guard lock(mutex_);
        routes_.push_back(std::make_shared<StreamRoute>(
            StreamRoute{std::move(path), std::move(handler), std::move(admit)}));
    }

    [[nodiscard]] std::uint16_t port() const override { return listener_.port; }

private:
    using Phase = Exchange::Phase;

    static void* on_target(void* self, const char* target, MHD_Connection* connection);
    static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url,
                                 const char* method, const char* version, const char* data,
                                 std::size_t* size, void** exchange);
    static void on_completed(void* self, MHD_Connection* connection, void** exchange,
                             MHD_RequestTerminationCode why);

    MHD_Result begin(Exchange& exchange, const char* method);
    MHD_Result take_body(Exchange& exchange, std::string_view bytes);
    MHD_Result hand_over(Exchange& exchange);
    MHD_Result answer(Exchange& exchange, const Response& response);
    void work(const std::shared_ptr<Exchange>& exchange);
    void work_as_stream(const std::shared_ptr<Exchange>& exchange, const StreamRoute& route);
    std::shared_ptr<StreamRoute> stream_route(const Exchange& exchange);
    void respond(const std::shared_ptr<Exchange>& exchange, Response response);
    void wake(Exchange& exchange);
    void close_streams();
    void stop();

    Options options_;
    Handler handler_;
    Listener listener_;
    MHD_Daemon* daemon_ = nullptr;

    std::mutex mutex_; ///< guards what follows, and each exchange's phase
    std::condition_variable changed_;
    std::unordered_map<Exchange*, std::shared_ptr<Exchange>> exchanges_;
    std::vector<std::shared_ptr<StreamRoute>> routes_;
    bool stopping_ = false;

    Timer timer_;
    Pool pool_;
};

void log_of_mhd(void*, const char* format, va_list arguments)
{
    std::array<char, 512> line{};
    std::vsnprintf(line.data(), line.size(), format, arguments);
    log::debug("http", "{}", line.data());
}

MHD_Result collect_header(void* headers, MHD_ValueKind, const char* name, std::size_t name_size,
                          const char* value, std::size_t value_size)
{
    static_cast<Headers*>(headers)->emplace_back(std::string(name, name_size),
                                                 value == nullptr ? std::string()
                                                                  : std::string(value, value_size));
    return MHD_YES;
}

// Targets are decoded by parse_target, which can refuse; libmicrohttpd's own decoding cannot.
std::size_t leave_escaped(void*, MHD_Connection*, char* text)
{
    return std::char_traits<char>::length(text);
}

Result<void> MicroServer::open()
{
    Result<Listener> listener = listen_on(options_.address, options_.port);
    if (!listener) {
        return fail(listener.error());
    }
    listener_ = *listener;
    const std::array<MHD_OptionItem, 2> strict{{
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, nullptr},
        {MHD_OPTION_END, 0, nullptr},
    }};
    daemon_ = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, nullptr,
        nullptr, &MicroServer::on_request, this, MHD_OPTION_EXTERNAL_LOGGER, &log_of_mhd, nullptr,
        MHD_OPTION_LISTEN_SOCKET, listener_.descriptor, MHD_OPTION_URI_LOG_CALLBACK,
        &MicroServer::on_target, this, MHD_OPTION_UNESCAPE_CALLBACK, &leave_escaped, nullptr,
        MHD_OPTION_NOTIFY_COMPLETED, &MicroServer::on_completed, this, MHD_OPTION_CONNECTION_LIMIT,
        static_cast<unsigned>(options_.max_connections), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        options_.max_header_bytes, MHD_OPTION_CONNECTION_TIMEOUT,
        static_cast<unsigned>(options_.idle_timeout.count()), MHD_OPTION_ARRAY, strict.data(),
        MHD_OPTION_END);
    if (daemon_ == nullptr) {
        ::close(listener_.descriptor);
        return fail(
            Fault::Kind::refused,
            fmt::format("Cannot start the HTTP server; the log at level debug says why: {} port {}",
                        options_.address, options_.port));
    }
    return {};
}

void* MicroServer::on_target(void* self, const char* target, MHD_Connection* connection)
{
    auto& server = *static_cast<MicroServer*>(self);
    auto exchange = std::make_shared<Exchange>();
    exchange->connection = connection;
    exchange->target = target;
    Exchange* const key = exchange.get();
    const std::lock_guard lock(server.mutex_);
    server.exchanges_.emplace(key, std::move(exchange));
    return key;
}

MHD_Result MicroServer::on_request(void* self, MHD_Connection*, const char*, const char* method,
                                   const char*, const char* data, std::size_t* size, void** context)
{
    auto& server = *static_cast<MicroServer*>(self);
    auto& exchange = *static_cast<Exchange*>(*context);
    switch (exchange.phase) {
    case Phase::fresh:
        exchange.phase = Phase::reading;
        return server.begin(exchange, method);
    case Phase::reading:
        if (*size > 0) {
            const std::string_view bytes(data, *size);
            *size = 0;
            return server.take_body(exchange, bytes);
        }
        return exchange.received > exchange.max_body
                   ? server.answer(exchange, problem(413, "The body is too large"))
                   : server.hand_over(exchange);
    case Phase::ready:
        return exchange.abandoned ? MHD_NO : server.answer(exchange, exchange.response);
    case Phase::working:
    case Phase::answering:
        break;
    }
    return MHD_YES;
}

MHD_Result MicroServer::begin(Exchange& exchange, const char* method)
{
    Request& request = exchange.request;
    exchange.head = std::string_view(method) == "HEAD";
    request.method = exchange.head ? "GET" : method;
    MHD_get_connection_values_n(exchange.connection, MHD_HEADER_KIND, &collect_header,
                                &request.headers);
    if (const MHD_ConnectionInfo* info =
            MHD_get_connection_info(exchange.connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)) {
        request.peer = address_text(info->client_addr);
    }

    std::optional<Target> target = parse_target(exchange.target);
    if (!target) {
        return answer(exchange, problem(400, "The request's address cannot be read"));
    }
    request.path = std::move(target->path);
    request.query = std::move(target->query);

    exchange.max_body = options_.max_body;
    for (const auto& [path, most] : options_.max_body_of) {
        if (path == request.path) {
            exchange.max_body = most;
        }
    }
    const std::optional<Framing> framing = read_framing(request.headers);
    if (!framing) {
        return answer(exchange, problem(400, "The length of the body is not clear"));
    }
    if (framing->length.value_or(0) > exchange.max_body) {
        return answer(exchange, problem(413, "The body is too large"));
    }
    return MHD_YES;
}

MHD_Result MicroServer::take_body(Exchange& exchange, std::string_view bytes)
{
    exchange.received += bytes.size();
    if (exchange.received <= exchange.max_body) {
        exchange.request.body.append(bytes);
        return MHD_YES;
    }
    // A chunked body does not say its length beforehand, and libmicrohttpd can answer only once it
    // is read. Somewhat too much is read and answered; one without end is cut.
    exchange.request.body = {};
    return exchange.received <= 2 * exchange.max_body ? MHD_YES : MHD_NO;
}

MHD_Result MicroServer::hand_over(Exchange& exchange)
{
    std::shared_ptr<Exchange> shared;
    {
        const std::lock_guard lock(mutex_);
        if (!stopping_) {
            shared = exchanges_.at(&exchange);
            exchange.phase = Phase::working;
            // Before a thread can know of it: a resume that comes first would be lost.
            MHD_suspend_connection(exchange.connection);
        }
    }
    if (!shared) {
        return answer(exchange, problem(503, "The server is stopping"));
    }
    pool_.submit([this, shared] { work(shared); });
    return MHD_YES;
}

void MicroServer::work(const std::shared_ptr<Exchange>& exchange)
{
    {
        const std::lock_guard lock(mutex_);
        exchange->begun = true;
    }
    try {
        if (const auto route = stream_route(*exchange)) {
            work_as_stream(exchange, *route);
        } else {
            respond(exchange, handler_(exchange->request));
        }
    } catch (const std::exception& error) {
        log::error("http", "A handler failed: {} {}: {}", exchange->request.method,
                   exchange->request.path, error.what());
        respond(exchange, problem(500, "The server failed on this request"));
    } catch (...) {
        log::error("http", "A handler failed: {} {}", exchange->request.method,
                   exchange->request.path);
        respond(exchange, problem(500, "The server failed on this request"));
    }
}

void MicroServer::work_as_stream(const std::shared_ptr<Exchange>& exchange,
                                 const StreamRoute& route)
{
    Response opening{.status = 200, .headers = {}, .body = {}, .delay = {}};
    if (route.admit) {
        opening = route.admit(exchange->request);
    }
    if (opening.status != 200 || exchange->head) {
        respond(exchange, std::move(opening));
        return;
    }
    const auto has_type = [](const auto& header) {
        return same_name(header.first, "Content-Type");
    };
    if (std::none_of(opening.headers.begin(), opening.headers.end(), has_type)) {
        opening.headers.emplace_back("Content-Type", "text/event-stream");
        opening.headers.emplace_back("Cache-Control", "no-store");
    }
    auto stream =
        std::make_shared<BufferedStream>(exchange->connection, options_.max_stream_backlog);
    // Copied: once the answer is under way the client may leave and the exchange end.
    const Request request = exchange->request;
    {
        const std::lock_guard lock(mutex_);
        exchange->stream = stream;
        if (stopping_) {
            stream->close();
        }
    }
    respond(exchange, std::move(opening));
    route.handler(request, stream);
}

std::shared_ptr<StreamRoute> MicroServer::stream_route(const Exchange& exchange)
{
    if (exchange.request.method != "GET") {
        return nullptr;
    }
    const std::lock_guard lock(mutex_);
    for (const auto& route : routes_) {
        if (route->path == exchange.request.path) {
            return route;
        }
    }
    return nullptr;
}

void MicroServer::respond(const std::shared_ptr<Exchange>& exchange, Response response)
{
    const auto delay = response.delay;
    {
        const std::lock_guard lock(mutex_);
        if (exchange->phase != Phase::working) {
            return;
        }
        exchange->response = std::move(response);
    }
    if (delay > std::chrono::milliseconds::zero()) {
        timer_.at(std::chrono::steady_clock::now() + delay, [this, exchange] {
            const std::lock_guard lock(mutex_);
            wake(*exchange);
        });
        return;
    }
    const std::lock_guard lock(mutex_);
    wake(*exchange);
}

void MicroServer::wake(Exchange& exchange)
{
    if (exchange.phase == Phase::working) {
        exchange.phase = Phase::ready;
        MHD_resume_connection(exchange.connection);
    }
}

MHD_Result MicroServer::answer(Exchange& exchange, const Response& response)
{
    std::shared_ptr<BufferedStream> stream;
    {
        const std::lock_guard lock(mutex_);
        exchange.phase = Phase::answering;
        stream = exchange.stream;
    }
    constexpr std::size_t block = 16 << 10;
    MHD_Response* made =
        stream ? MHD_create_response_from_callback(
                     MHD_SIZE_UNKNOWN, block, &BufferedStream::read,
                     new std::shared_ptr<BufferedStream>(stream),
                     [](void* held) { delete static_cast<std::shared_ptr<BufferedStream>*>(held); })
               : MHD_create_response_from_buffer(response.body.size(),
                                                 const_cast<char*>(response.body.data()),
                                                 MHD_RESPMEM_MUST_COPY);
    if (made == nullptr) {
        return MHD_NO;
    }
    bool good = response.status >= 200 && response.status <= 599;
    for (const auto& [name, value] : response.headers) {
        if (!same_name(name, "Content-Length") && !same_name(name, "Transfer-Encoding")) {
            // Refuses a name or value with CR or LF.
            good = MHD_add_response_header(made, name.c_str(), value.c_str()) == MHD_YES && good;
        }
    }
    MHD_Result queued = MHD_NO;
    if (good) {
        queued =
            MHD_queue_response(exchange.connection, static_cast<unsigned>(response.status), made);
    }
    MHD_destroy_response(made);
    if (!good) {
        log::error("http", "A handler gave a status or header that cannot be sent: {} {}",
                   exchange.request.method, exchange.request.path);
        {
            const std::lock_guard lock(mutex_);
            exchange.stream.reset();
        }
        if (stream) {
            stream->detach();
        }
        return answer(exchange, problem(500, "The server failed on this request"));
    }
    return queued;
}

void MicroServer::on_completed(void* self, MHD_Connection*, void** context,
                               MHD_RequestTerminationCode)
{
    auto& server = *static_cast<MicroServer*>(self);
    if (*context == nullptr) {
        return;
    }
    std::shared_ptr<Exchange> exchange;
    {
        const std::lock_guard lock(server.mutex_);
        const auto found = server.exchanges_.find(static_cast<Exchange*>(*context));
        if (found == server.exchanges_.end()) {
            return;
        }
        exchange = std::move(found->second);
        server.exchanges_.erase(found);
    }
    *context = nullptr;
    if (exchange->stream) {
        exchange->stream->detach();
    }
    server.changed_.notify_all();
}

void MicroServer::close_streams()
{
    std::vector<std::shared_ptr<BufferedStream>> streams;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, exchange] : exchanges_) {
            if (exchange->stream) {
                streams.push_back(exchange->stream);
            }
        }
    }
    for (const auto& stream : streams) {
        stream->close();
    }
}

void MicroServer::stop()
{
    if (daemon_ == nullptr) {
        return;
    }
    MHD_quiesce_daemon(daemon_);
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    // Before the wait for handlers: one that writes to a stream in a loop ends by this.
    close_streams();
    pool_.stop();
    timer_.stop();

    // libmicrohttpd aborts the process when it is stopped with a suspended connection.
    std::unique_lock lock(mutex_);
    for (const auto& [key, exchange] : exchanges_) {
        if (exchange->phase == Phase::working) {
            exchange->abandoned = exchange->begun;
            exchange->response = problem(503, "The server is stopping");
            wake(*exchange);
        }
    }
    const auto nothing_to_send = [this] {
        return std::none_of(exchanges_.begin(), exchanges_.end(), [](const auto& entry) {
            return entry.second->phase == Phase::ready || entry.second->phase == Phase::answering;
        });
    };
    changed_.wait_for(lock, send_grace, nothing_to_send);
    lock.unlock();
    MHD_stop_daemon(daemon_);
    ::close(listener_.descriptor);
}

} // namespace

Result<std::unique_ptr<Server>> Server::start(Options options, Handler handler)
{
    auto server = std::make_unique<MicroServer>(std::move(options), std::move(handler));
    if (Result<void> opened = server->open(); !opened) {
        return fail(opened.error());
    }
    return server;
}

} // namespace sagabox::http
