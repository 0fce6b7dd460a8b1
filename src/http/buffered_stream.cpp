#include "http/buffered_stream.hpp"

#include <algorithm>
#include <cstring>

#include <microhttpd.h>

namespace sagabox::http {

BufferedStream::BufferedStream(MHD_Connection* connection, std::size_t backlog)
    : connection_(connection), backlog_(backlog)
{
}

bool BufferedStream::write(std::string_view bytes)
{
    const std::lock_guard lock(mutex_);
    if (closed_ || connection_ == nullptr) {
        return false;
    }
    if (bytes_.size() - begin_ + bytes.size() > backlog_) {
        closed_ = true;
        cut_ = true;
        wake();
        return false;
    }
    if (begin_ > bytes_.size() / 2) {
        bytes_.erase(0, begin_);
        begin_ = 0;
    }
    bytes_.append(bytes);
    wake();
    return true;
}

void BufferedStream::close()
{
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake();
}

void BufferedStream::detach()
{
    const std::lock_guard lock(mutex_);
    connection_ = nullptr;
    asleep_ = false;
}

void BufferedStream::wake()
{
    if (asleep_ && connection_ != nullptr) {
        asleep_ = false;
        MHD_resume_connection(connection_);
    }
}

ssize_t BufferedStream::read(void* self, std::uint64_t, char* out, std::size_t size)
{
    return (*static_cast<std::shared_ptr<BufferedStream>*>(self))->take(out, size);
}

ssize_t BufferedStream::take(char* out, std::size_t size)
{
    const std::lock_guard lock(mutex_);
    if (cut_) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (const std::size_t left = bytes_.size() - begin_; left > 0) {
        const std::size_t count = std::min(left, size);
        std::memcpy(out, bytes_.data() + begin_, count);
        begin_ += count;
        return static_cast<ssize_t>(count);
    }
    if (closed_ || connection_ == nullptr) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    // Under the lock, so that a writer sees the connection either asleep or not: it must never
    // resume one that is only about to sleep.
    asleep_ = true;
    MHD_suspend_connection(connection_);
    return 0;
}

} // namespace sagabox::http
