#pragma once

#include "base/address_rules.hpp"
#include "base/clock.hpp"
#include "base/task.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sagabox::transport {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// Paths of PEM files; empty: the client's own authorities, and no certificate of ours.
struct TlsFiles {
    std::string ca_file{};
    std::string certificate_file{};
    std::string key_file{};
    std::string key_password{};

    friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

struct HttpRequest {
    std::string method{};
    std::string url{};
    HttpHeaders headers{};
    std::optional<std::string> body{};
    std::chrono::milliseconds timeout{30'000}; ///< bounds the whole call, drip-fed answers too
    bool follow_redirects = false;
    std::optional<TlsFiles> tls{};
};

struct HttpAnswer {
    enum class Delivery : std::uint8_t {
        not_sent,   ///< nothing of the request left this machine's socket
        unanswered, ///< it left, wholly or in part, and no whole answer came
        answered,   ///< a whole answer, or its first `max_body` bytes
    };
    Delivery delivery = Delivery::not_sent;
    int status = 0; ///< of the last answer; also set when the body was cut
    HttpHeaders headers;
    std::string body;
    bool truncated = false; ///< the body was longer than the limit; the rest was not read
    std::string error;      ///< plain words; no URL, no secret
    std::chrono::milliseconds duration{0};
};

/// Makes HTTP calls by libcurl's multi interface, any number at once, on one executor.
///
/// Sends each request at most once: a request that may have reached the peer is never repeated,
/// although libcurl by itself repeats one whose reused connection closes before the answer.
/// Redirects are followed only where asked, five at most, and 303 becomes a GET; answers beyond the
/// limit are cut and do not grow memory.
class HttpClient {
public:
    struct Options {
        std::size_t max_body = std::size_t{1} << 20;
        std::size_t max_header_bytes = std::size_t{64} << 10;
        std::chrono::milliseconds connect_timeout{10'000};
        std::size_t idle_connections = 256;
        std::string user_agent = "sagabox";
        std::string proxy;    ///< URL of a proxy; empty: none, whatever the environment says
        std::string ca_file;  ///< PEM of the authorities to trust; empty: the system's
        AddressRules network; ///< whom a call may connect to, redirects included
    };

    /// Lives on the one thread of `executor`; its callers are tasks of the same executor.
    HttpClient(Executor executor, Options options);

    /// Cuts the calls in flight: their tasks end with `operation_aborted`.
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Makes one call. Never throws but asio's `operation_aborted`, when its task is cancelled: the
    /// transfer is then cut, and whether it took effect is unknown.
    ///
    /// A method that is no token, or a header or URL with CR, LF or NUL, is refused: `not_sent`.
    /// Headers that frame the message (`Content-Length`, `Transfer-Encoding`, `Expect`, connection
    /// headers) are this client's and dropped from the request. A `Content-Type` is sent only where
    /// given.
    [[nodiscard]] Task<HttpAnswer> call(HttpRequest request);

    [[nodiscard]] std::size_t in_flight() const;

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace sagabox::transport
