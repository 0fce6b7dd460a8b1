#include "transport/http_transfer.hpp"

#include "base/invariant.hpp"
#include "transport/http_syntax.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace sagabox::transport {

namespace {

constexpr long max_redirects = 5;

std::string in_words(std::chrono::milliseconds span)
{
    if (span.count() % 1000 == 0) {
        return fmt::format("{} s", span.count() / 1000);
    }
    return fmt::format("{} ms", span.count());
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The code in a status line such as `HTTP/1.1 200 OK`; 0 where there is none.
int status_in(std::string_view line)
{
    const std::size_t space = line.find(' ');
    int status = 0;
    if (space != std::string_view::npos) {
        const std::string_view code = line.substr(space + 1, 3);
        std::from_chars(code.data(), code.data() + code.size(), status);
    }
    return status;
}

template <class T>
T info(CURL* easy, CURLINFO what)
{
    T value{};
    curl_easy_getinfo(easy, what, &value);
    return value;
}

} // namespace

HttpTransfer::HttpTransfer(const HttpClient::Options& options)
    : options_(options), easy_(curl_easy_init()), guard_(options.network)
{
    SAGABOX_INVARIANT(easy_ != nullptr, "out of memory");
    curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
    curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &HttpTransfer::on_header);
    curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &HttpTransfer::on_body);
    curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, &HttpTransfer::before_sending);
    curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
    curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
    // Without it, ending a transfer waits for a name server that does not answer, and every other
    // call of this thread with it.
    curl_easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy_, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy_, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy_, CURLOPT_MAXREDIRS, max_redirects);
    curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    curl_easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy_, CURLOPT_USERAGENT, options_.user_agent.c_str());
    // An empty string, unlike none at all, keeps libcurl from looking into the environment.
    curl_easy_setopt(easy_, CURLOPT_PROXY, options_.proxy.c_str());
    curl_easy_setopt(easy_, CURLOPT_NOPROXY, "");
    guard_.attach(easy_);
    set_tls();
}

HttpTransfer::~HttpTransfer()
{
    curl_easy_cleanup(easy_);
}

void HttpTransfer::prepare(HttpRequest request)
{
    request_ = std::move(request);
    answer_ = HttpAnswer();
    error_text_.front() = '\0';
    header_bytes_ = 0;
    head_ended_ = false;
    headers_too_long_ = false;
    sent_before_ = false;
    guard_.forget();
    if (request_.tls != tls_) {
        tls_ = request_.tls;
        set_tls();
    }

    const auto at_least_one = std::chrono::milliseconds(1); // libcurl takes 0 for no limit
    const auto whole = std::max(request_.timeout, at_least_one);
    const auto connect = std::max(std::min(whole, options_.connect_timeout), at_least_one);
    curl_easy_setopt(easy_, CURLOPT_URL, request_.url.c_str());
    curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(whole.count()));
    curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect.count()));
    curl_easy_setopt(easy_, CURLOPT_FOLLOWLOCATION, request_.follow_redirects ? 1L : 0L);
    set_method();
    set_headers();
}

void HttpTransfer::set_tls()
{
    const TlsFiles own = tls_.value_or(TlsFiles{});
    const auto set = [this](CURLoption option, const std::string& value) {
        curl_easy_setopt(easy_, option, value.empty() ? nullptr : value.c_str());
    };
    const std::string& ca_file = own.ca_file.empty() ? options_.ca_file : own.ca_file;
    // A null pointer would mean no authority at all, and not the ones that libcurl begins with.
    const char* const built_in = curl_version_info(CURLVERSION_NOW)->cainfo;
    curl_easy_setopt(easy_, CURLOPT_CAINFO, ca_file.empty() ? built_in : ca_file.c_str());
    set(CURLOPT_SSLCERT, own.certificate_file);
    set(CURLOPT_SSLKEY, own.key_file);
    set(CURLOPT_KEYPASSWD, own.key_password);
}

void HttpTransfer::set_method()
{
    const std::string& method = request_.method;
    const bool creates = method == "POST" || method == "PUT" || method == "PATCH";
    curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L); // undoes what an earlier call has set
    const char* custom = method.c_str();
    if (request_.body || creates) {
        const std::string& body = request_.body ? *request_.body : request_.body.emplace();
        curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
        curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, body.c_str());
        // A redirect turns a POST into a GET, by custom; any other method keeps its body.
        const bool by_custom = method == "POST";
        curl_easy_setopt(easy_, CURLOPT_POSTREDIR,
                         by_custom ? 0L : CURL_REDIR_POST_301 | CURL_REDIR_POST_302);
        custom = by_custom ? nullptr : custom;
    } else if (method == "HEAD") {
        curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
        custom = nullptr;
    } else if (method == "GET") {
        custom = nullptr;
    }
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, custom);
}

void HttpTransfer::add_header_line(std::string_view name, std::string_view separator,
                                   std::string_view value)
{
    if (header_lines_used_ == header_lines_.size()) {
        header_lines_.emplace_back();
    }
    std::string& line = header_lines_[header_lines_used_++];
    line.assign(name);
    line.append(separator);
    line.append(value);
}

void HttpTransfer::set_headers()
{
    header_lines_used_ = 0;
    bool has_content_type = false;
    for (const auto& [name, value] : request_.headers) {
        if (is_framing_header(name)) {
            continue;
        }
        has_content_type = has_content_type || same_header(name, "content-type");
        // libcurl reads `Name:` as an order to leave the header out, and `Name;` as an empty one.
        const std::string_view shown = trimmed(value);
        add_header_line(name, shown.empty() ? ";" : ": ", shown);
    }
    // Waiting for `100 Continue` costs a second with peers that do not know it.
    add_header_line("Expect", ":", {});
    if (request_.body && !has_content_type) {
        add_header_line("Content-Type", ":", {});
    }

    header_list_.resize(header_lines_used_);
    for (std::size_t i = 0; i < header_lines_used_; ++i) {
        header_list_[i].data = header_lines_[i].data();
        header_list_[i].next = i + 1 < header_lines_used_ ? &header_list_[i + 1] : nullptr;
    }
    curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, header_list_.data());
}

bool HttpTransfer::take_header_line(std::string_view line)
{
    sent_before_ = false;
    header_bytes_ += line.size();
    if (header_bytes_ > options_.max_header_bytes) {
        headers_too_long_ = true;
        return false;
    }
    if (line.starts_with("HTTP/")) {
        answer_.status = status_in(line);
        answer_.headers.clear();
        head_ended_ = false;
        if (request_.follow_redirects && answer_.status == 303) {
            // "See other" asks for a look at the result, never for the same deed elsewhere.
            curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, nullptr);
        }
        return true;
    }
    const std::string_view text = trimmed(line);
    if (text.empty()) {
        head_ended_ = answer_.status >= 200;
        return true;
    }
    if (head_ended_) {
        return true; // a trailer, which nobody asked for
    }
    const std::size_t colon = text.find(':');
    const bool continues = line.front() == ' ' || line.front() == '\t';
    if (continues && !answer_.headers.empty()) {
        answer_.headers.back().second.append(" ").append(text);
    } else if (colon != std::string_view::npos) {
        answer_.headers.emplace_back(trimmed(text.substr(0, colon)),
                                     trimmed(text.substr(colon + 1)));
    }
    return true;
}

bool HttpTransfer::take_body(std::string_view bytes)
{
    const std::size_t room = options_.max_body - answer_.body.size();
    answer_.body.append(bytes.substr(0, room));
    answer_.truncated = bytes.size() > room;
    return !answer_.truncated;
}

long HttpTransfer::bytes_sent() const
{
    return info<long>(easy_, CURLINFO_REQUEST_SIZE);
}

bool HttpTransfer::may_send() const
{
    return !sent_before_ || bytes_sent() == 0;
}

std::size_t HttpTransfer::on_header(char* data, std::size_t size, std::size_t count, void* transfer)
{
    const std::string_view line(data, size * count);
    return static_cast<HttpTransfer*>(transfer)->take_header_line(line) ? line.size() : 0;
}

std::size_t HttpTransfer::on_body(char* data, std::size_t size, std::size_t count, void* transfer)
{
    const std::string_view bytes(data, size * count);
    return static_cast<HttpTransfer*>(transfer)->take_body(bytes) ? bytes.size() : 0;
}

int HttpTransfer::before_sending(void* transfer, char*, char*, int, int)
{
    HttpTransfer& self = *static_cast<HttpTransfer*>(transfer);
    if (!self.may_send()) {
        return CURL_PREREQFUNC_ABORT;
    }
    self.sent_before_ = true;
    return CURL_PREREQFUNC_OK;
}

HttpAnswer HttpTransfer::take_answer(CURLcode code)
{
    // libcurl calls an answer whole that ends within its headers.
    const bool whole = code == CURLE_OK && head_ended_;
    if (whole || answer_.truncated) {
        answer_.delivery = HttpAnswer::Delivery::answered;
    } else {
        answer_.delivery =
            bytes_sent() > 0 ? HttpAnswer::Delivery::unanswered : HttpAnswer::Delivery::not_sent;
        answer_.error = describe(code);
    }
    return std::move(answer_);
}

std::string HttpTransfer::describe(CURLcode code) const
{
    if (!guard_.refused().empty()) {
        return fmt::format("{}the network rules do not permit a connection to {}",
                           bytes_sent() == 0 ? "" : "redirected, and ", guard_.refused());
    }
    if (bytes_sent() == 0) {
        switch (code) {
        case CURLE_OPERATION_TIMEDOUT:
            return fmt::format("no connection within {}",
                               in_words(std::min(request_.timeout, options_.connect_timeout)));
        case CURLE_COULDNT_CONNECT:
            return describe_failed_connect();
        case CURLE_COULDNT_RESOLVE_HOST:
            return "the host's name is not known";
        case CURLE_COULDNT_RESOLVE_PROXY:
            return "the proxy's name is not known";
        case CURLE_PEER_FAILED_VERIFICATION: {
            const std::string_view text(error_text_.data());
            const std::string_view prefix = "SSL certificate problem: ";
            const bool has_reason = text.starts_with(prefix);
            return fmt::format("certificate not valid: {}",
                               has_reason ? text.substr(prefix.size()) : "not for this host");
        }
        case CURLE_SSL_CONNECT_ERROR:
            return "the TLS handshake failed";
        case CURLE_SSL_CERTPROBLEM:
            return "our certificate or its key can't be used; see tls.certificateFile, "
                   "tls.keyFile and tls.keyPassword";
        case CURLE_SSL_CACERT_BADFILE:
            return "the file of authorities can't be used; see tls.caFile";
        case CURLE_UNSUPPORTED_PROTOCOL:
            return "only http and https are spoken";
        case CURLE_URL_MALFORMAT:
            return "the URL can't be read";
        default:
            return fmt::format("no connection: {}", curl_easy_strerror(code));
        }
    }
    if (headers_too_long_) {
        return fmt::format("the answer's headers are longer than {} bytes",
                           options_.max_header_bytes);
    }
    switch (code) {
    case CURLE_OK:
        return "the answer was cut off within its headers";
    case CURLE_OPERATION_TIMEDOUT:
        return fmt::format("no {}answer within {}", answer_.status == 0 ? "" : "whole ",
                           in_words(request_.timeout));
    case CURLE_ABORTED_BY_CALLBACK:
    case CURLE_GOT_NOTHING:
        return "the connection was closed before an answer came";
    case CURLE_PARTIAL_FILE:
        return describe_cut();
    case CURLE_RECV_ERROR:
        return head_ended_ ? describe_cut() : "the connection broke before an answer came";
    case CURLE_SEND_ERROR:
        return "the connection broke while the request was sent";
    case CURLE_TOO_MANY_REDIRECTS:
        return fmt::format("more than {} redirects", max_redirects);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return answer_.status == 0 ? "the answer is not HTTP"
                                   : "the answer leads to neither http nor https";
    default:
        return fmt::format("no whole answer: {}", curl_easy_strerror(code));
    }
}

std::string HttpTransfer::describe_cut() const
{
    const curl_off_t promised = info<curl_off_t>(easy_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
    if (promised >= 0) {
        return fmt::format("the answer was cut off after {} of {} bytes", answer_.body.size(),
                           promised);
    }
    return fmt::format("the answer was cut off or malformed after {} bytes", answer_.body.size());
}

std::string HttpTransfer::describe_failed_connect() const
{
    switch (info<long>(easy_, CURLINFO_OS_ERRNO)) {
    case ECONNREFUSED:
        return "connection refused";
    case ENETUNREACH:
    case EHOSTUNREACH:
        return "the host can't be reached";
    default:
        return "no connection could be made";
    }
}

} // namespace sagabox::transport
