#include "transport/smtp_connection.hpp"

#include "base/base64.hpp"
#include "base/invariant.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <asio/cancellation_state.hpp>
#include <asio/error.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/system_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

namespace sagabox::transport {

namespace {

/// A server that says more than this before its reply is whole is none.
constexpr std::size_t longest_reply = std::size_t{64} << 10;

constexpr int go_on = 354;   ///< what comes now is a message
constexpr int closing = 421; ///< said at any stage

std::string url_of(CURL* easy, const SmtpRequest& request)
{
    const bool tls = request.security == SmtpRequest::Security::tls;
    const bool is_ipv6 = request.host.find(':') != std::string::npos;
    std::string url = fmt::format("{}://{}{}{}:{}/", tls ? "smtps" : "smtp", is_ipv6 ? "[" : "",
                                  request.host, is_ipv6 ? "]" : "", request.port);
    if (!request.client_name.empty()) {
        char* escaped = curl_easy_escape(easy, request.client_name.data(),
                                         static_cast<int>(request.client_name.size()));
        url += escaped;
        curl_free(escaped);
    }
    return url;
}

void replace_all(std::string& text, std::string_view secret)
{
    for (std::size_t at = text.find(secret); !secret.empty() && at != std::string::npos;
         at = text.find(secret, at + 3)) {
        text.replace(at, secret.size(), "***");
    }
}

/// A server may repeat what it did not understand.
void hide_secrets(std::string& text, const SmtpRequest& request)
{
    const std::string plain = '\0' + request.user + '\0' + request.password;
    for (const std::string& secret : {plain, request.password}) {
        std::string encoded;
        append_base64(encoded, secret);
        replace_all(text, encoded);
    }
    replace_all(text, request.password);
}

} // namespace

/// Waits for the socket. Shared with the handlers under way, which may run after the connection is
/// gone; its descriptor is a copy, so that libcurl may close its own whenever it likes.
struct SmtpConnection::Watch : std::enable_shared_from_this<Watch> {
    Watch(const Executor& executor, int fd) : descriptor(executor, fd), timer(executor) {}

    void watch_for(asio::posix::stream_descriptor::wait_type event, bool& watched)
    {
        if (std::exchange(watched, true)) {
            return;
        }
        descriptor.async_wait(event,
                              [self = shared_from_this(), &watched](const asio::error_code&) {
                                  watched = false;
                                  self->ready = true;
                                  self->timer.cancel();
                              });
    }

    asio::posix::stream_descriptor descriptor;
    asio::steady_timer timer; ///< what the task waits on: ends by deadline or by an event
    bool reading = false;
    bool writing = false;
    bool ready = false;
    bool is_cut = false;
};

SmtpConnection::SmtpConnection(Executor executor, CurlLoop& loop, const AddressRules& network)
    : executor_(std::move(executor)), loop_(loop), easy_(curl_easy_init()), guard_(network)
{
    SAGABOX_INVARIANT(easy_ != nullptr, "out of memory");
    guard_.attach(easy_);
}

SmtpConnection::~SmtpConnection()
{
    if (watch_ && at_rest_ && !watch_->is_cut) {
        constexpr std::string_view quit = "QUIT\r\n";
        std::size_t sent = 0;
        curl_easy_send(easy_, quit.data(), quit.size(), &sent);
    }
    cut();
    curl_easy_cleanup(easy_);
}

void SmtpConnection::cut()
{
    if (watch_) {
        watch_->is_cut = true;
        asio::error_code ignored;
        watch_->descriptor.close(ignored);
        watch_->timer.cancel();
    }
}

void SmtpConnection::set_options(const SmtpRequest& request)
{
    using Security = SmtpRequest::Security;
    const std::string url = url_of(easy_, request);
    curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy_, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
    curl_easy_setopt(easy_, CURLOPT_DEBUGFUNCTION, &SmtpConnection::on_debug);
    curl_easy_setopt(easy_, CURLOPT_DEBUGDATA, this);
    curl_easy_setopt(easy_, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
    // Without it, ending a transfer waits for a name server that does not answer.
    curl_easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L);
    // An empty string, unlike none at all, keeps libcurl from looking into the environment.
    curl_easy_setopt(easy_, CURLOPT_PROXY, "");
    curl_easy_setopt(easy_, CURLOPT_USE_SSL,
                     static_cast<long>(request.security == Security::starttls ? CURLUSESSL_ALL
                                                                              : CURLUSESSL_NONE));
    curl_easy_setopt(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!request.ca_file.empty()) {
        curl_easy_setopt(easy_, CURLOPT_CAINFO, request.ca_file.c_str());
    }
    if (!request.user.empty()) {
        curl_easy_setopt(easy_, CURLOPT_USERNAME, request.user.c_str());
        curl_easy_setopt(easy_, CURLOPT_PASSWORD, request.password.c_str());
        curl_easy_setopt(easy_, CURLOPT_SASL_IR, 1L);
        // Left to itself, libcurl would rather ask a Kerberos that may not be there.
        curl_easy_setopt(easy_, CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN;AUTH=CRAM-MD5");
    }
}

Task<std::optional<SmtpConnection::Failure>>
SmtpConnection::open(const SmtpRequest& request, std::chrono::milliseconds connect_timeout,
                     Deadline deadline)
{
    set_options(request);
    const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(
                                   deadline.at - std::chrono::steady_clock::now()),
                               std::chrono::milliseconds(1)); // libcurl takes 0 for no limit
    const auto connect = std::clamp(connect_timeout, std::chrono::milliseconds(1), left);
    curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
    curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect.count()));
    curl_easy_setopt(easy_, CURLOPT_SERVER_RESPONSE_TIMEOUT,
                     static_cast<long>(left.count() / 1000 + 1));
    const CURLcode code = co_await loop_.perform(easy_, CurlLoop::Afterwards::keep);
    curl_easy_setopt(easy_, CURLOPT_VERBOSE, 0L);

    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy_, CURLINFO_ACTIVESOCKET, &socket);
    if (code != CURLE_OK || socket == CURL_SOCKET_BAD) {
        co_return describe(code == CURLE_OK ? CURLE_RECV_ERROR : code, request);
    }
    const int copy = dup(socket);
    if (copy < 0) {
        co_return Failure{Stage::connect, {}, "no descriptor is left"};
    }
    watch_ = std::make_shared<Watch>(executor_, copy);
    at_rest_ = true;
    if (!request.user.empty() && !signed_in_) {
        // libcurl goes on without a word where it knows none of the ways that the server offers.
        co_return Failure{
            Stage::auth, {}, "the server offers no way to sign in that is known here"};
    }
    co_return std::nullopt;
}

int SmtpConnection::on_debug(CURL*, curl_infotype type, char* data, std::size_t size, void* self)
{
    SmtpConnection& connection = *static_cast<SmtpConnection*>(self);
    if (type == CURLINFO_HEADER_OUT) {
        connection.take_command(std::string_view(data, size));
    } else if (type == CURLINFO_HEADER_IN) {
        connection.take_reply_line(std::string_view(data, size));
    }
    return 0;
}

void SmtpConnection::take_command(std::string_view line)
{
    // Only the verb is looked at: what follows may be a password.
    reader_.forget();
    starting_tls_ = line.starts_with("STARTTLS");
    if (line.starts_with("EHLO") || line.starts_with("HELO")) {
        stage_ = Stage::hello;
        offers_ = SmtpOffers();
    } else if (line.starts_with("AUTH")) {
        stage_ = Stage::auth;
        signed_in_ = true;
    }
}

void SmtpConnection::take_reply_line(std::string_view line)
{
    if (stage_ == Stage::hello) {
        offers_.take(line);
    }
    static_cast<void>(reader_.take(line));
}

SmtpConnection::Failure SmtpConnection::describe(CURLcode code, const SmtpRequest& request) const
{
    Failure failure{stage_, reader_.reply(), {}};
    if (failure.reply.code >= 400) {
        hide_secrets(failure.reply.text, request);
        return failure;
    }
    // A reply that agreed is not what ended the dialogue.
    const bool started_tls = starting_tls_ && failure.reply.code == 220;
    failure.reply = SmtpReply();
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        failure.error = stage_ == Stage::connect ? "no connection, or no greeting, in time"
                                                 : "no reply in time";
        return failure;
    case CURLE_USE_SSL_FAILED:
        failure.error = "the server does not offer STARTTLS";
        return failure;
    case CURLE_LOGIN_DENIED:
        failure.error = "the server offers no way to sign in that is known here";
        failure.stage = Stage::auth;
        return failure;
    case CURLE_WEIRD_SERVER_REPLY:
        failure.error = started_tls ? "the server talks on after STARTTLS, where TLS has to begin"
                                    : "what the server says is not SMTP";
        return failure;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
        if (!started_tls) {
            failure.error = "the connection was closed";
            return failure;
        }
        break;
    default:
        break;
    }
    failure.stage = started_tls ? Stage::connect : stage_;
    failure.error = describe_connect(code);
    return failure;
}

std::string SmtpConnection::describe_connect(CURLcode code) const
{
    if (!guard_.refused().empty()) {
        return fmt::format("the network rules do not permit a connection to {}", guard_.refused());
    }
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return "the host's name is not known";
    case CURLE_COULDNT_CONNECT: {
        long reason = 0;
        curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &reason);
        return reason == ECONNREFUSED ? "connection refused" : "the host can't be reached";
    }
    case CURLE_PEER_FAILED_VERIFICATION: {
        const std::string_view text(error_text_.data());
        const std::string_view prefix = "SSL certificate problem: ";
        const bool has_reason = text.starts_with(prefix);
        return fmt::format("certificate not valid: {}",
                           has_reason ? text.substr(prefix.size()) : "not for this host");
    }
    case CURLE_SSL_CACERT_BADFILE:
        return "the file of trusted authorities can't be read";
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        return "the TLS handshake failed";
    default:
        return fmt::format("no connection: {}", curl_easy_strerror(code));
    }
}

Task<bool> SmtpConnection::wait(Want want, Deadline deadline)
{
    const std::shared_ptr<Watch> watch = watch_;
    if (!watch->is_cut) {
        watch->ready = false;
        if (want == Want::read) {
            watch->watch_for(asio::posix::stream_descriptor::wait_read, watch->reading);
        } else {
            watch->watch_for(asio::posix::stream_descriptor::wait_write, watch->writing);
        }
        watch->timer.expires_at(deadline.at);
        asio::error_code error;
        co_await watch->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
    const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    if (watch->is_cut || cancellation.cancelled() != asio::cancellation_type::none) {
        throw asio::system_error(asio::error::operation_aborted);
    }
    co_return watch->ready;
}

Task<SmtpConnection::Wire> SmtpConnection::send(std::string_view bytes, Deadline deadline)
{
    at_rest_ = false;
    while (!bytes.empty()) {
        std::size_t sent = 0;
        const CURLcode code = curl_easy_send(easy_, bytes.data(), bytes.size(), &sent);
        if (code == CURLE_OK) {
            bytes.remove_prefix(sent);
        } else if (code != CURLE_AGAIN) {
            co_return Wire::broken;
        } else {
            const bool ready = co_await wait(Want::write, deadline);
            if (!ready) {
                co_return Wire::late;
            }
        }
    }
    co_return Wire::fine;
}

Task<SmtpConnection::Heard> SmtpConnection::hear(Deadline deadline)
{
    reader_.forget();
    std::array<char, 4096> buffer;
    Heard heard;
    for (std::size_t read = 0; read < longest_reply;) {
        const std::size_t end = received_.find('\n');
        if (end != std::string::npos) {
            const std::string line = received_.substr(0, end + 1);
            received_.erase(0, end + 1);
            const SmtpReplyReader::Taken taken = reader_.take(line);
            if (taken == SmtpReplyReader::Taken::whole) {
                heard.reply = reader_.reply();
                at_rest_ = heard.reply.code != go_on && heard.reply.code != closing;
                co_return heard;
            }
            if (taken == SmtpReplyReader::Taken::garbage) {
                break;
            }
            continue;
        }
        std::size_t got = 0;
        const CURLcode code = curl_easy_recv(easy_, buffer.data(), buffer.size(), &got);
        if (code == CURLE_AGAIN) {
            const bool ready = co_await wait(Want::read, deadline);
            if (!ready) {
                heard.wire = Wire::late;
                co_return heard;
            }
        } else if (code != CURLE_OK || got == 0) {
            break;
        } else {
            read += got;
            received_.append(buffer.data(), got);
        }
    }
    heard.wire = Wire::broken;
    co_return heard;
}

bool SmtpConnection::has_ended()
{
    std::array<char, 64> buffer;
    std::size_t got = 0;
    const CURLcode code = curl_easy_recv(easy_, buffer.data(), buffer.size(), &got);
    const bool ended = code != CURLE_AGAIN || !received_.empty();
    at_rest_ = at_rest_ && !ended;
    return ended;
}

} // namespace sagabox::transport
