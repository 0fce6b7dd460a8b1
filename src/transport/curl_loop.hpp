#pragma once

#include "base/task.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

#include <curl/curl.h>

namespace sagabox::transport {

/// Runs libcurl transfers, any number at once, on one executor of one thread.
///
/// libcurl's sockets live in an epoll set of this loop's own, and asio watches that set alone: one
/// wake-up serves every socket that became ready, and a descriptor number that libcurl closes and
/// opens again needs no care. Nothing of the loop keeps an idle `io_context` running.
class CurlLoop {
public:
    CurlLoop(Executor executor, std::size_t idle_connections);

    /// What becomes of a handle whose transfer has ended well: `keep` leaves it with the loop,
    /// since a connection that was made for `CURLOPT_CONNECT_ONLY` is closed when its handle
    /// leaves. It does so by `curl_easy_cleanup`, while this loop still is.
    enum class Afterwards : std::uint8_t { release, keep };

    /// Ends as by `abort`.
    ~CurlLoop();
    CurlLoop(const CurlLoop&) = delete;
    CurlLoop& operator=(const CurlLoop&) = delete;

    /// Runs one transfer to its end. Takes over the handle's `CURLOPT_PRIVATE`; the handle must
    /// stay alive and untouched until the task has ended. A cancelled task has its transfer cut,
    /// the connection with it, and ends with `operation_aborted`.
    ///
    /// The awaiting task resumes from a fresh turn of the executor, never inside libcurl.
    [[nodiscard]] Task<CURLcode> perform(CURL* easy, Afterwards afterwards = Afterwards::release);

    /// Cuts all transfers: their tasks end with `operation_aborted`. No call may follow.
    void abort();

    [[nodiscard]] std::size_t in_flight() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace sagabox::transport
