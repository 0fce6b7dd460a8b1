#pragma once

#include "transport/http_client.hpp"
#include "transport/peer_guard.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

namespace sagabox::transport {

/// One HTTP request and what came back of it, on a libcurl handle that serves one after another.
///
/// libcurl repeats a request whose reused connection closed before the answer. Here it may not: the
/// check before each sending ends the transfer where an earlier sending has put bytes on the wire
/// and nothing came back.
class HttpTransfer {
public:
    explicit HttpTransfer(const HttpClient::Options& options);
    ~HttpTransfer();
    HttpTransfer(const HttpTransfer&) = delete;
    HttpTransfer& operator=(const HttpTransfer&) = delete;

    /// Requires a request without a reason to refuse it.
    void prepare(HttpRequest request);

    [[nodiscard]] CURL* easy() const { return easy_; }

    /// What the transfer came to, once it has ended with `code`. To be taken once.
    [[nodiscard]] HttpAnswer take_answer(CURLcode code);

private:
    void set_method();
    void set_tls();
    void set_headers();
    void add_header_line(std::string_view name, std::string_view separator, std::string_view value);
    bool take_header_line(std::string_view line);
    bool take_body(std::string_view bytes);
    [[nodiscard]] bool may_send() const;
    [[nodiscard]] long bytes_sent() const;
    [[nodiscard]] std::string describe(CURLcode code) const;
    [[nodiscard]] std::string describe_cut() const;
    [[nodiscard]] std::string describe_failed_connect() const;

    static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* transfer);
    static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* transfer);
    static int before_sending(void* transfer, char* peer, char* local, int peer_port,
                              int local_port);

    const HttpClient::Options& options_;
    CURL* easy_;
    std::array<char, CURL_ERROR_SIZE> error_text_{};

    PeerGuard guard_;
    std::optional<TlsFiles> tls_; ///< as the handle is set

    HttpRequest request_;
    std::vector<std::string> header_lines_; ///< storage is kept from call to call
    std::size_t header_lines_used_ = 0;
    std::vector<curl_slist> header_list_; ///< links `header_lines_` for libcurl

    HttpAnswer answer_;
    std::size_t header_bytes_ = 0;
    bool head_ended_ = false; ///< the blank line after the headers of a final status was read
    bool headers_too_long_ = false;
    bool sent_before_ = false; ///< a sending began, and no byte of an answer has come since
};

} // namespace sagabox::transport
