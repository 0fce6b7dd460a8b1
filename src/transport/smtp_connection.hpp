#pragma once

#include "base/address_rules.hpp"
#include "base/clock.hpp"
#include "transport/curl_loop.hpp"
#include "transport/peer_guard.hpp"
#include "transport/smtp_client.hpp"
#include "transport/smtp_reply.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <curl/curl.h>

namespace sagabox::transport {

/// One connection to a server of mail. libcurl brings it to where a message may begin: TCP, TLS,
/// greeting, EHLO, STARTTLS, AUTH. From there on commands go out and replies come in here.
class SmtpConnection {
public:
    using Stage = SmtpAnswer::Stage;

    /// Why a connection can't be used: the stage that it came to, and what it says of itself.
    struct Failure {
        Stage stage = Stage::connect;
        SmtpReply reply;
        std::string error;
    };

    /// `loop` and `network` must outlive the connection.
    SmtpConnection(Executor executor, CurlLoop& loop, const AddressRules& network);

    /// Says QUIT where a server would listen, without waiting for its answer, and closes.
    ~SmtpConnection();
    SmtpConnection(const SmtpConnection&) = delete;
    SmtpConnection& operator=(const SmtpConnection&) = delete;

    /// Makes the connection that `request` asks for; nothing where that went well. `request` must
    /// outlive the task. No password leaves in plain where TLS is demanded.
    [[nodiscard]] Task<std::optional<Failure>>
    open(const SmtpRequest& request, std::chrono::milliseconds connect_timeout, Deadline deadline);

    [[nodiscard]] const SmtpOffers& offers() const { return offers_; }

    enum class Wire : std::uint8_t { fine, broken, late };

    /// Sends all of `bytes`. Where it answers anything but `fine`, their last one has not left.
    [[nodiscard]] Task<Wire> send(std::string_view bytes, Deadline deadline);

    /// The next reply; its code is 0 where the wire is not `fine`.
    struct Heard {
        Wire wire = Wire::fine;
        SmtpReply reply;
    };
    [[nodiscard]] Task<Heard> hear(Deadline deadline);

    /// Whether the server, unasked, has said something or closed: such a connection is of no use.
    [[nodiscard]] bool has_ended();

    /// Whether the server waits for a command.
    [[nodiscard]] bool is_at_rest() const { return at_rest_; }

    /// Ends the waits under way and to come with `operation_aborted`.
    void cut();

private:
    struct Watch;
    enum class Want : std::uint8_t { read, write };

    [[nodiscard]] Task<bool> wait(Want want, Deadline deadline);
    void set_options(const SmtpRequest& request);
    void take_command(std::string_view line);
    void take_reply_line(std::string_view line);
    [[nodiscard]] Failure describe(CURLcode code, const SmtpRequest& request) const;
    [[nodiscard]] std::string describe_connect(CURLcode code) const;

    static int on_debug(CURL* easy, curl_infotype type, char* data, std::size_t size, void* self);

    Executor executor_;
    CurlLoop& loop_;
    CURL* easy_;
    PeerGuard guard_;
    std::array<char, CURL_ERROR_SIZE> error_text_{};
    std::shared_ptr<Watch> watch_;

    Stage stage_ = Stage::connect; ///< while libcurl holds the dialogue
    bool signed_in_ = false;       ///< AUTH was sent
    bool starting_tls_ = false;    ///< STARTTLS was sent, and nothing since
    SmtpReplyReader reader_;
    SmtpOffers offers_;
    std::string received_; ///< bytes of replies that were not read yet
    bool at_rest_ = false;
};

} // namespace sagabox::transport
