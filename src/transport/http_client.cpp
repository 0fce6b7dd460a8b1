#include "transport/http_client.hpp"

#include "transport/curl_loop.hpp"
#include "transport/http_syntax.hpp"
#include "transport/http_transfer.hpp"

#include <vector>

namespace sagabox::transport {

struct HttpClient::Impl {
    Impl(Executor executor, Options o)
        : options(std::move(o)), loop(std::move(executor), options.idle_connections)
    {
    }

    Options options;
    std::vector<std::unique_ptr<HttpTransfer>> idle;
    CurlLoop loop;
};

namespace {

/// Takes a transfer from those that lie idle, and puts it back when the call has ended.
class Borrowed {
public:
    using Pool = std::vector<std::unique_ptr<HttpTransfer>>;

    Borrowed(Pool& pool, const HttpClient::Options& options) : pool_(pool)
    {
        if (pool_.empty()) {
            transfer_ = std::make_unique<HttpTransfer>(options);
        } else {
            transfer_ = std::move(pool_.back());
            pool_.pop_back();
        }
    }
    ~Borrowed() { pool_.push_back(std::move(transfer_)); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    HttpTransfer* operator->() const { return transfer_.get(); }

private:
    Pool& pool_;
    std::unique_ptr<HttpTransfer> transfer_;
};

} // namespace

HttpClient::HttpClient(Executor executor, Options options)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options)))
{
}

HttpClient::~HttpClient()
{
    impl_->loop.abort();
}

Task<HttpAnswer> HttpClient::call(HttpRequest request)
{
    const Instant began_at = std::chrono::steady_clock::now();
    if (const std::string_view reason = why_refused(request); !reason.empty()) {
        HttpAnswer refused;
        refused.error = reason;
        co_return refused;
    }
    // The client may be destroyed while the call is under way.
    const std::shared_ptr<Impl> impl = impl_;
    const Borrowed transfer(impl->idle, impl->options);
    transfer->prepare(std::move(request));
    const CURLcode code = co_await impl->loop.perform(transfer->easy());
    HttpAnswer answer = transfer->take_answer(code);
    answer.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began_at);
    co_return answer;
}

std::size_t HttpClient::in_flight() const
{
    return impl_->loop.in_flight();
}

} // namespace sagabox::transport
