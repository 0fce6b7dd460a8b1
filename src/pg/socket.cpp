#include "pg/socket.hpp"

#include "base/invariant.hpp"

#include <utility>

#include <asio/cancellation_state.hpp>
#include <asio/error.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/system_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

namespace sagabox::pg {

/// One attachment. Shared with the handlers under way, which may run after the socket is gone.
struct Socket::Watch : std::enable_shared_from_this<Watch> {
    Watch(const Executor& executor, int fd) : descriptor(executor, fd), timer(executor) {}

    void watch_for(asio::posix::stream_descriptor::wait_type event, bool& watched)
    {
        if (watched) {
            return;
        }
        watched = true;
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
};

Socket::Socket(Executor executor) : executor_(std::move(executor)) {}

Socket::~Socket()
{
    detach();
}

void Socket::attach(int descriptor)
{
    detach();
    watch_ = std::make_shared<Watch>(executor_, descriptor);
}

void Socket::detach()
{
    if (watch_) {
        watch_->descriptor.release();
        watch_.reset();
    }
}

Task<Socket::Woken> Socket::wait(Want want, Deadline deadline)
{
    SAGABOX_INVARIANT(watch_, "nothing would ever wake this wait");
    const std::shared_ptr<Watch> watch = watch_;
    watch->ready = false;
    if (want != Want::write) {
        watch->watch_for(asio::posix::stream_descriptor::wait_read, watch->reading);
    }
    if (want != Want::read) {
        watch->watch_for(asio::posix::stream_descriptor::wait_write, watch->writing);
    }
    // One timer for both events costs less than asio's parallel groups: this runs once per round
    // trip.
    watch->timer.expires_at(deadline.at);
    asio::error_code error;
    co_await watch->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));

    const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
        throw asio::system_error(asio::error::operation_aborted);
    }
    co_return watch->ready ? Woken::ready : Woken::deadline;
}

} // namespace sagabox::pg
