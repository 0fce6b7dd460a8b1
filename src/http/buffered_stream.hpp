#pragma once

#include "http/server.hpp"

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include <sys/types.h>

struct MHD_Connection;

namespace sagabox::http {

/// Bytes between a writer on any thread and libmicrohttpd's thread, which takes them when the
/// client can. The connection sleeps while there is nothing to send.
///
/// A client that leaves more than `backlog` bytes unread is cut off, so that one who stopped
/// reading cannot grow our memory.
class BufferedStream final : public Stream {
public:
    BufferedStream(MHD_Connection* connection, std::size_t backlog);

    bool write(std::string_view bytes) override;
    void close() override;

    /// The connection is gone and must not be touched again.
    void detach();

    /// libmicrohttpd's content reader: `self` is a `std::shared_ptr` to this object, called on its
    /// thread only.
    static ssize_t read(void* self, std::uint64_t position, char* out, std::size_t size);

private:
    ssize_t take(char* out, std::size_t size);
    void wake();

    std::mutex mutex_;
    MHD_Connection* connection_;
    std::size_t backlog_;
    std::string bytes_;
    std::size_t begin_ = 0; ///< of `bytes_`, what lies before it has been sent
    bool asleep_ = false;
    bool closed_ = false;
    bool cut_ = false;
};

} // namespace sagabox::http
