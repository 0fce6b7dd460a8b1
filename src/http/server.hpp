#pragma once

#include "base/fault.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sagabox::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
    std::string method;
    /// Percent-decoded, without the query; always begins with `/`. Valid UTF-8 without U+0000, as
    /// the query is: a request whose target is anything else is answered 400.
    std::string path;
    std::vector<std::pair<std::string, std::string>> query;
    Headers headers;
    std::string body;
    std::string peer; ///< address of the client

    /// First header of that name, whatever its case; empty where there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const;
    [[nodiscard]] std::string_view query_value(std::string_view name) const;
};

struct Response {
    int status = 200;
    Headers headers; ///< `Content-Type` among them
    std::string body;
    std::chrono::milliseconds delay{
        0}; ///< the answer leaves this much later; no thread waits for it
};

/// An event stream that stays open (`text/event-stream`), written from any thread.
class Stream {
public:
    virtual ~Stream() = default;
    /// Queues bytes; false once the client has gone or has fallen too far behind.
    virtual bool write(std::string_view bytes) = 0;
    virtual void close() = 0;
};

/// An HTTP/1.1 server over libmicrohttpd: bounded connections, header and body sizes and idle
/// times; handlers run on a small pool of threads of its own.
class Server {
public:
    struct Options {
        std::string address = "127.0.0.1";
        std::uint16_t port = 9000; ///< 0: any free one
        std::size_t threads = 4;
        std::size_t max_connections = 512;
        std::size_t max_body = std::size_t{1} << 20; ///< beyond it: 413, before the body is read
        std::vector<std::pair<std::string, std::size_t>>
            max_body_of{};                                     ///< the same, of single paths
        std::size_t max_header_bytes = std::size_t{32} << 10;  ///< request line and headers: 431
        std::size_t max_stream_backlog = std::size_t{1} << 20; ///< unread bytes of one stream
        std::chrono::seconds idle_timeout{60};
    };

    /// Called on one of the pool's threads; several run at once. An exception becomes a 500 whose
    /// body says nothing of it; the log does. A HEAD request arrives as GET; its body is not sent.
    using Handler = std::function<Response(const Request&)>;
    /// Takes over a request whose answer is an event stream.
    using StreamHandler = std::function<void(const Request&, std::shared_ptr<Stream>)>;
    /// Decides whether a stream opens: status 200 opens it with the response's headers, any other
    /// response is the answer and the stream handler is not called.
    using Admit = std::function<Response(const Request&)>;

    /// Fails where the address or port can't be had; the text names both and the cure.
    [[nodiscard]] static Result<std::unique_ptr<Server>> start(Options options, Handler handler);

    /// GET requests for this path go to `handler` as streams, after `admit` where there is one. Any
    /// other method goes to the server's handler. Before the first request for the path.
    ///
    /// A client that leaves is noticed at the next `write`: a stream needs a heartbeat.
    virtual void serve_stream(std::string path, StreamHandler handler, Admit admit = {}) = 0;

    /// Stops taking connections, ends streams, and waits for running handlers. Requests that no
    /// handler has begun are answered 503; a delayed response that is not yet due never leaves.
    virtual ~Server() = default;
    [[nodiscard]] virtual std::uint16_t port() const = 0;
};

} // namespace sagabox::http
