#include "base/scope.hpp"

#include "base/invariant.hpp"
#include "base/log.hpp"

#include <exception>
#include <list>
#include <utility>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/cancellation_state.hpp>
#include <asio/co_spawn.hpp>
#include <asio/error.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/system_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

namespace sagabox {

struct Signal::State {
    bool flag = false;
    std::list<asio::steady_timer*> waiting; ///< one timer for each task that waits
};

Signal::Signal() : state_(std::make_unique<State>()) {}

Signal::~Signal() = default;

void Signal::set()
{
    state_->flag = true;
    for (asio::steady_timer* timer : state_->waiting) {
        timer->cancel();
    }
}

void Signal::clear()
{
    state_->flag = false;
}

bool Signal::is_set() const
{
    return state_->flag;
}

namespace {

/// Keeps a timer in a list for as long as its task waits, however the wait ends.
class Listed {
public:
    Listed(std::list<asio::steady_timer*>& list, asio::steady_timer& timer)
        : list_(list), place_(list.insert(list.end(), &timer))
    {
    }
    ~Listed() { list_.erase(place_); }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;

private:
    std::list<asio::steady_timer*>& list_;
    std::list<asio::steady_timer*>::iterator place_;
};

} // namespace

Task<bool> Signal::wait(Deadline deadline)
{
    if (state_->flag) {
        co_return true;
    }
    asio::steady_timer timer(co_await asio::this_coro::executor, deadline.at);
    const Listed listed(state_->waiting, timer);
    asio::error_code error;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));

    // A timer is cancelled by `set` or by the scope; only the second ends the task.
    const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
    if (!state_->flag && cancellation.cancelled() != asio::cancellation_type::none) {
        throw asio::system_error(asio::error::operation_aborted);
    }
    co_return state_->flag;
}

struct Scope::State {
    State(Executor e, std::string n) : executor(std::move(e)), name(std::move(n)) { empty.set(); }

    Executor executor;
    std::string name;
    std::list<asio::cancellation_signal> children;
    Signal empty; ///< set while nothing runs
};

Scope::Scope(Executor executor, std::string name)
    : state_(std::make_shared<State>(std::move(executor), std::move(name)))
{
}

Scope::~Scope()
{
    SAGABOX_INVARIANT(state_->children.empty(), "a task would go on with its owner gone");
}

void Scope::start(Task<void> task)
{
    state_->empty.clear();
    const auto child = state_->children.emplace(state_->children.end());
    asio::co_spawn(state_->executor, std::move(task),
                   asio::bind_cancellation_slot(child->slot(), [state = state_,
                                                                child](std::exception_ptr failure) {
                       state->children.erase(child);
                       if (state->children.empty()) {
                           state->empty.set();
                       }
                       if (!failure) {
                           return;
                       }
                       try {
                           std::rethrow_exception(failure);
                       } catch (const asio::system_error& e) {
                           if (e.code() == asio::error::operation_aborted) {
                               return;
                           }
                           log::error(state->name, "a task ended by an exception: {}", e.what());
                       } catch (const std::exception& e) {
                           log::error(state->name, "a task ended by an exception: {}", e.what());
                       }
                       SAGABOX_INVARIANT(false, "an exception escaped a task");
                   }));
}

void Scope::cancel()
{
    // A child may end, and leave the list, while it is told to stop.
    for (auto child = state_->children.begin(); child != state_->children.end();) {
        const auto next = std::next(child);
        child->emit(asio::cancellation_type::terminal);
        child = next;
    }
}

Task<bool> Scope::join(Deadline deadline)
{
    const std::shared_ptr<State> state = state_;
    co_return co_await state->empty.wait(deadline);
}

std::size_t Scope::running() const
{
    return state_->children.size();
}

Task<void> sleep_until(Instant at)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, at);
    co_await timer.async_wait(asio::use_awaitable);
}

} // namespace sagabox
