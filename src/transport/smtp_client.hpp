#pragma once

#include "base/address_rules.hpp"
#include "base/clock.hpp"
#include "base/mime.hpp"
#include "base/task.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sagabox::transport {

using sagabox::MimePart;

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
    /// Lines of the message's header, each below 998 bytes; one that begins with a space continues
    /// the one before. Anything beyond ASCII, here or in an address, demands a server with
    /// SMTPUTF8; the message is not sent to another.
    std::vector<std::string> headers;
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
    SmtpReply reply;             ///< that which ended it; with `final_dot`, to the message
    std::vector<SmtpReply> rcpt; ///< to each recipient, in order; code 0 where none came
    std::string error;           ///< plain words; no secret
    std::chrono::milliseconds duration{0};
};

/// Sends mail by SMTP, any number of messages at once, on one executor.
///
/// libcurl makes the connection, from the name's resolution to AUTH; the dialogue from MAIL to the
/// final dot is held here. libcurl's own would block the thread, and every other task of it, until
/// the server has answered to the final dot, and does not tell whether that dot has left.
///
/// A message is sent at most once. A connection may serve further messages; where it turns out to
/// have closed in between, before any of the message has left, a fresh one takes its place.
/// Recipients that a server refuses do not keep the message from the others. Certificates are
/// checked wherever TLS is asked for.
class SmtpClient {
public:
    struct Options {
        std::chrono::milliseconds connect_timeout{10'000};
        std::size_t idle_connections = 16;
        std::chrono::milliseconds idle_for{30'000}; ///< not used again after that
        AddressRules network;                       ///< whom a connection may be made to
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
