#include "transport/curl_loop.hpp"

#include "base/clock.hpp"
#include "base/invariant.hpp"

#include <array>
#include <chrono>
#include <list>
#include <optional>
#include <utility>

#include <sys/epoll.h>

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/error.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace sagabox::transport {

namespace {

using Signature = void(asio::error_code, CURLcode);
using Handler = asio::async_result<asio::use_awaitable_t<>, Signature>::handler_type;

int open_epoll()
{
    const int descriptor = epoll_create1(EPOLL_CLOEXEC);
    SAGABOX_INVARIANT(descriptor >= 0, "no descriptor is left to watch sockets with");
    return descriptor;
}

CURLM* open_multi()
{
    static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    SAGABOX_INVARIANT(initialised == CURLE_OK, "libcurl can't be used");
    CURLM* multi = curl_multi_init();
    SAGABOX_INVARIANT(multi != nullptr, "out of memory");
    return multi;
}

} // namespace

struct CurlLoop::State : std::enable_shared_from_this<State> {
    /// A task whose transfer is under way; `CURLOPT_PRIVATE` of the transfer points here.
    struct Waiting {
        CURL* easy;
        Afterwards afterwards;
        Handler handler;
        std::list<Waiting>::iterator place{};
    };

    /// What a task's cancellation does. It stays in the slot until the task resumes.
    struct Cut {
        std::weak_ptr<State> state;
        Waiting* waiting;

        void operator()(asio::cancellation_type type);
    };

    State(Executor executor, std::size_t idle_connections);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void start(CURL* easy, Afterwards afterwards, Handler handler);
    void end(Waiting& ended, asio::error_code error, CURLcode result);
    void abort();

    void act(curl_socket_t socket, int events);
    void act_on_ready_sockets();
    void act_on_time();
    void end_finished_transfers();

    void watch();
    void act_soon();
    void arm_timer();
    void disarm_timer();
    void wait_for_what_is_next();

    static int on_socket(CURL* easy, curl_socket_t socket, int what, void* state, void* known);
    static int on_timer(CURLM* multi, long timeout_ms, void* state);

    asio::posix::stream_descriptor epoll;
    asio::steady_timer timer;
    CURLM* multi = open_multi();
    std::list<Waiting> waiting;
    bool closed = false;
    bool watching = false;
    bool action_is_posted = false;
    std::optional<Instant> due;         ///< when libcurl wants to be called
    std::optional<Instant> armed_until; ///< when `timer` fires: at `due` or earlier
    unsigned arming = 0;                ///< tells the newest wait of `timer` from replaced ones
};

CurlLoop::State::State(Executor executor, std::size_t idle_connections)
    : epoll(executor, open_epoll()), timer(executor)
{
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &State::on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &State::on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(idle_connections));
}

CurlLoop::State::~State()
{
    // Closing idle connections would set timers, which nobody is left to serve.
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, nullptr);
    curl_multi_cleanup(multi);
}

void CurlLoop::State::Cut::operator()(asio::cancellation_type type)
{
    const std::shared_ptr<State> alive = state.lock();
    if (type == asio::cancellation_type::none || !alive || waiting == nullptr) {
        return;
    }
    Waiting& cut = *std::exchange(waiting, nullptr);
    alive->end(cut, asio::error::operation_aborted, CURLE_ABORTED_BY_CALLBACK);
    alive->wait_for_what_is_next();
}

void CurlLoop::State::start(CURL* easy, Afterwards afterwards, Handler handler)
{
    SAGABOX_INVARIANT(!closed, "a call was made on a client that is being destroyed");
    auto slot = asio::get_associated_cancellation_slot(handler);
    Waiting& added = waiting.emplace_back(Waiting{easy, afterwards, std::move(handler)});
    added.place = std::prev(waiting.end());
    if (slot.is_connected()) {
        slot.assign(Cut{weak_from_this(), &added});
    }
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &added);
    const CURLMcode code = curl_multi_add_handle(multi, easy);
    SAGABOX_INVARIANT(code == CURLM_OK, "a transfer can't be started");
    watch();
}

void CurlLoop::State::end(Waiting& ended, asio::error_code error, CURLcode result)
{
    if (error || result != CURLE_OK || ended.afterwards == Afterwards::release) {
        curl_multi_remove_handle(multi, ended.easy);
    }
    Handler handler = std::move(ended.handler);
    waiting.erase(ended.place);

    // Never resumed from here: the task may start transfers or destroy the loop, and a cancellation
    // may be what called us.
    const auto executor = asio::get_associated_executor(handler, timer.get_executor());
    asio::post(executor, [h = std::move(handler), error, result]() mutable {
        asio::get_associated_cancellation_slot(h).clear();
        h(error, result);
    });
}

void CurlLoop::State::abort()
{
    closed = true;
    while (!waiting.empty()) {
        Waiting& cut = waiting.front();
        asio::get_associated_cancellation_slot(cut.handler).clear();
        end(cut, asio::error::operation_aborted, CURLE_ABORTED_BY_CALLBACK);
    }
    wait_for_what_is_next();
}

void CurlLoop::State::act(curl_socket_t socket, int events)
{
    int running = 0;
    curl_multi_socket_action(multi, socket, events, &running);
}

void CurlLoop::State::act_on_ready_sockets()
{
    std::array<epoll_event, 128> ready;
    const int count = epoll_wait(epoll.native_handle(), ready.data(), ready.size(), 0);
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = ready[static_cast<std::size_t>(i)];
        int events = 0;
        events |= (event.events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) != 0 ? CURL_CSELECT_IN : 0;
        events |= (event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0;
        events |= (event.events & EPOLLERR) != 0 ? CURL_CSELECT_ERR : 0;
        act(event.data.fd, events);
    }
    end_finished_transfers();
}

void CurlLoop::State::act_on_time()
{
    due.reset();
    act(CURL_SOCKET_TIMEOUT, 0);
    // A transfer may end within the action for the clock as well as in one for a socket.
    end_finished_transfers();
}

void CurlLoop::State::end_finished_transfers()
{
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        // The message does not survive the removal of its handle.
        const CURLcode result = message->data.result;
        Waiting* ended = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &ended);
        asio::get_associated_cancellation_slot(ended->handler).clear();
        end(*ended, asio::error_code(), result);
    }
}

void CurlLoop::State::watch()
{
    if (watching) {
        return;
    }
    watching = true;
    epoll.async_wait(asio::posix::descriptor_base::wait_read,
                     [self = shared_from_this()](asio::error_code error) {
                         self->watching = false;
                         if (!error && !self->closed) {
                             self->act_on_ready_sockets();
                         }
                         self->wait_for_what_is_next();
                     });
}

void CurlLoop::State::act_soon()
{
    // Transfers that start in one turn share one action.
    if (std::exchange(action_is_posted, true)) {
        return;
    }
    asio::post(timer.get_executor(), [self = shared_from_this()] {
        self->action_is_posted = false;
        if (!self->closed) {
            self->act_on_time();
            self->wait_for_what_is_next();
        }
    });
}

void CurlLoop::State::arm_timer()
{
    // Each transfer moves libcurl's timeout several times, nearly always to a later moment. A timer
    // that fires early and looks again is cheaper than one that is set anew each time.
    if (!due || (armed_until && *armed_until <= *due)) {
        return;
    }
    armed_until = due;
    timer.expires_at(*due);
    timer.async_wait([self = shared_from_this(), mine = ++arming](asio::error_code) {
        if (mine != self->arming || self->closed) {
            return;
        }
        self->armed_until.reset();
        if (self->due && *self->due <= std::chrono::steady_clock::now()) {
            self->act_on_time();
        }
        self->wait_for_what_is_next();
    });
}

void CurlLoop::State::disarm_timer()
{
    if (armed_until) {
        ++arming;
        armed_until.reset();
        timer.cancel();
    }
}

void CurlLoop::State::wait_for_what_is_next()
{
    if (!waiting.empty()) {
        watch();
        arm_timer();
        return;
    }
    // An idle loop leaves nothing behind that would keep the executor running.
    disarm_timer();
    if (watching) {
        epoll.cancel();
    }
}

int CurlLoop::State::on_socket(CURL*, curl_socket_t socket, int what, void* state, void* known)
{
    State& self = *static_cast<State*>(state);
    const int set = self.epoll.native_handle();
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(set, EPOLL_CTL_DEL, socket, nullptr);
        return 0;
    }
    epoll_event event{};
    event.events |= (what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U;
    event.events |= (what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U;
    event.data.fd = socket;
    if (known == nullptr) {
        epoll_ctl(set, EPOLL_CTL_ADD, socket, &event);
        curl_multi_assign(self.multi, socket, state);
    } else {
        epoll_ctl(set, EPOLL_CTL_MOD, socket, &event);
    }
    return 0;
}

int CurlLoop::State::on_timer(CURLM*, long timeout_ms, void* state)
{
    State& self = *static_cast<State*>(state);
    self.due.reset();
    if (timeout_ms == 0) {
        self.act_soon();
    } else if (timeout_ms > 0) {
        self.due = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
        self.arm_timer();
    }
    return 0;
}

CurlLoop::CurlLoop(Executor executor, std::size_t idle_connections)
    : state_(std::make_shared<State>(std::move(executor), idle_connections))
{
}

CurlLoop::~CurlLoop()
{
    abort();
}

Task<CURLcode> CurlLoop::perform(CURL* easy, Afterwards afterwards)
{
    return asio::async_initiate<const asio::use_awaitable_t<>&, Signature>(
        [state = state_, easy, afterwards](auto&& handler) {
            state->start(easy, afterwards, std::forward<decltype(handler)>(handler));
        },
        asio::use_awaitable);
}

void CurlLoop::abort()
{
    state_->abort();
}

std::size_t CurlLoop::in_flight() const
{
    return state_->waiting.size();
}

} // namespace sagabox::transport
