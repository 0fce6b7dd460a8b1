#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sagabox::transport {

/// A node of a MIME message (RFC 2045): a leaf with bytes, or a multipart with parts.
struct MimePart {
    enum class Encoding : std::uint8_t { quoted_printable, base64 };

    std::string content_type;         ///< with its parameters; of a multipart without the boundary
    std::vector<std::string> headers; ///< further complete lines, ASCII, such as a disposition
    std::string content;              ///< of a leaf
    Encoding encoding = Encoding::base64;
    std::vector<MimePart> parts; ///< of a multipart; empty: a leaf
};

struct SmtpRequest {
    enum class Security : std::uint8_t {
        starttls, ///< demanded: without it neither password nor mail leaves
        tls,
        none,
    };

    std::string host;
    std::uint16_t port = 587;
    Security security = Security::starttls;
    std::string user; ///< empty: no AUTH
    std::string password;
    std::string ca_file;                       ///< empty: the system's
    std::string client_name;                   ///< for EHLO; empty: this host's
    std::chrono::milliseconds timeout{60'000}; ///< of the whole dialogue

    std::string sender;                  ///< bare address
    std::vector<std::string> recipients; ///< bare addresses, every one of the envelope
    std::vector<std::string> headers;    ///< complete lines of the message, ASCII, each below 998
    MimePart body;
};

struct SmtpReply {
    int code = 0; ///< 0: none came
    std::string text;
};

struct SmtpAnswer {
    /// The stage at which the dialogue ended.
    enum class Stage : std::uint8_t {
        refused, ///< by this client: the request can't be sent as it is
        connect, ///< no connection, no greeting, TLS failed
        hello,
        auth,
        sender,
        rcpt,
        data,      ///< DATA was refused, or it broke off before the final dot left
        final_dot, ///< the final dot left; without a reply the outcome is unknown
    };
    Stage stage = Stage::connect;
    SmtpReply reply;             ///< the last one; with `final_dot`, to the message
    std::vector<SmtpReply> rcpt; ///< to each recipient, in order; code 0 where none came
    std::string error;           ///< plain words; no secret
    std::chrono::milliseconds duration{0};
};

/// Sends mail by SMTP over libcurl's multi interface, any number of messages at once, on one
/// executor. A message is sent at most once: nothing is repeated by this client.
///
/// Recipients that a server refuses do not keep the message from the others. Certificates are
/// checked wherever TLS is asked for.
class SmtpClient {
public:
    struct Options {
        std::chrono::milliseconds connect_timeout{10'000};
        std::size_t idle_connections = 16;
    };

    /// Lives on the one thread of `executor`; its callers are tasks of the same executor.
    SmtpClient(Executor executor, Options options);

    /// Cuts what is under way: its tasks end with `operation_aborted`.
    ~SmtpClient();
    SmtpClient(const SmtpClient&) = delete;
    SmtpClient& operator=(const SmtpClient&) = delete;

    /// Never throws but asio's `operation_aborted`, when its task is cancelled: whether the message
    /// was taken is then unknown. CR, LF or NUL in an address or a header line refuses the request.
    [[nodiscard]] Task<SmtpAnswer> send(SmtpRequest request);

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace sagabox::transport
