#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sagabox::testing {

/// One request as it came in. What happened outside is counted here, never in our own tables.
struct Arrival {
    std::string method;
    std::string target; ///< as sent: neither decoded nor tidied, with the query
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    std::size_t connection = 0; ///< counts connections from 1
    std::chrono::steady_clock::time_point at;

    /// First header of that name, whatever its case; empty where there is none.
    [[nodiscard]] std::string header(std::string_view name) const;
    [[nodiscard]] std::size_t count_of(std::string_view header_name) const;
};

/// An answer, or a misbehaviour in its place. Each begins once the whole request has been read.
struct Reply {
    enum class Manner : std::uint8_t {
        proper,
        hang,    ///< answers only after `release`
        close,   ///< closes without an answer; on a kept connection the trap for silent re-sending
        reset,   ///< the same by RST
        garbage, ///< sends `body` instead of HTTP, and closes
        cut_headers, ///< closes in the middle of the headers
        cut_body,    ///< promises `missing` more bytes than it sends, and closes
        chunked,     ///< sends the body in chunks
        cut_chunks,  ///< sends the body as a chunk and closes before the last chunk
        bad_chunk,   ///< a chunk whose size is no number
    };
    enum class Drip : std::uint8_t { none, headers, body };

    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    Manner manner = Manner::proper;
    std::chrono::milliseconds delay{0}; ///< before the first byte
    Drip drip = Drip::none;             ///< this part leaves byte by byte
    std::chrono::milliseconds drip_interval{10};
    std::size_t missing = 380;     ///< for `cut_body`
    std::size_t filler = 0;        ///< this many bytes follow `body`, made up while they are sent
    std::size_t header_filler = 0; ///< size of an extra header
    bool close_after = false;      ///< closes once the answer is out, without having said so
};

/// A real HTTP/1.1 server on a thread of its own, at a free port of 127.0.0.1.
///
/// Records every arrival and answers by script. All members may be called from any thread; the
/// destructor cuts whatever is still open.
class StubServer {
public:
    using Answerer = std::function<Reply(const Arrival&)>;

    /// The script of one path. The last reply of a script repeats.
    class Script {
    public:
        Script& then(Reply reply);

    private:
        friend class StubServer;
        Script(StubServer& server, std::string path) : server_(server), path_(std::move(path)) {}
        StubServer& server_;
        std::string path_;
    };

    StubServer();
    ~StubServer();
    StubServer(const StubServer&) = delete;
    StubServer& operator=(const StubServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;

    /// `http://127.0.0.1:<port><target>`
    [[nodiscard]] std::string url(std::string_view target) const;

    /// Sets the script of a path, which is compared as sent and without the query. A path without a
    /// script is answered by 404.
    Script on(std::string path, Reply reply);

    /// `answerer` is called on the server's thread.
    void on(std::string path, Answerer answerer);

    /// Lets all calls answer that hang now or will.
    void release();

    [[nodiscard]] std::vector<Arrival> arrivals() const;
    [[nodiscard]] std::vector<Arrival> arrivals(std::string_view path) const;

    /// Waits until `path` has been called `n` times; false when it has not within `timeout`.
    [[nodiscard]] bool wait_for_arrivals(std::string_view path, std::size_t n,
                                         std::chrono::milliseconds timeout) const;

    /// Connections accepted so far, and those that are open now.
    [[nodiscard]] std::size_t connections() const;
    [[nodiscard]] std::size_t open_connections() const;
    [[nodiscard]] bool wait_for_open_connections(std::size_t n,
                                                 std::chrono::milliseconds timeout) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace sagabox::testing
