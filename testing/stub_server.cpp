#include "testing/stub_server.hpp"

#include "base/task.hpp"
#include "testing/stub_wire.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

namespace sagabox::testing {

using asio::ip::tcp;

namespace {

std::string_view path_of(std::string_view target)
{
    return target.substr(0, target.find('?'));
}

} // namespace

struct StubServer::Impl {
    Impl() : acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {}

    Task<void> accept();
    Task<void> serve(tcp::socket socket, std::size_t number);
    Task<bool> hang(tcp::socket& socket);
    Reply record(Arrival arrival);
    std::size_t count(std::string_view path) const;
    void count_open(std::ptrdiff_t change);

    asio::io_context context{1};
    tcp::acceptor acceptor;
    std::list<tcp::socket*> hanging; ///< of the server's thread alone

    mutable std::mutex mutex;
    mutable std::condition_variable changed;
    std::map<std::string, std::deque<Reply>, std::less<>> scripts;
    std::map<std::string, Answerer, std::less<>> answerers;
    std::vector<Arrival> arrivals;
    std::size_t accepted = 0;
    std::size_t open = 0;
    bool released = false;

    std::thread thread;
};

Task<void> StubServer::Impl::accept()
{
    for (;;) {
        asio::error_code error;
        tcp::socket socket =
            co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
        if (error) {
            co_return;
        }
        asio::error_code ignored; // the client may be gone already
        socket.set_option(tcp::no_delay(true), ignored);
        std::size_t number = 0;
        {
            const std::scoped_lock lock(mutex);
            number = ++accepted;
        }
        count_open(+1);
        asio::co_spawn(context, serve(std::move(socket), number), asio::detached);
    }
}

Task<void> StubServer::Impl::serve(tcp::socket socket, std::size_t number)
{
    std::string unread;
    for (;;) {
        std::optional<Arrival> arrival = co_await wire::read_request(socket, unread);
        if (!arrival) {
            break;
        }
        arrival->connection = number;
        arrival->at = std::chrono::steady_clock::now();
        const bool wants_body = arrival->method != "HEAD";
        const Reply reply = record(std::move(*arrival));
        if (reply.manner == Reply::Manner::hang) {
            const bool may_answer = co_await hang(socket);
            if (!may_answer) {
                break;
            }
        }
        const bool keep = co_await wire::write_reply(socket, reply, wants_body);
        if (!keep) {
            break;
        }
    }
    asio::error_code ignored;
    socket.close(ignored);
    count_open(-1);
}

Task<bool> StubServer::Impl::hang(tcp::socket& socket)
{
    {
        const std::scoped_lock lock(mutex);
        if (released) {
            co_return true;
        }
    }
    // Readable means that the client went away; `release` cancels the wait.
    const auto place = hanging.insert(hanging.end(), &socket);
    asio::error_code error;
    co_await socket.async_wait(tcp::socket::wait_read,
                               asio::redirect_error(asio::use_awaitable, error));
    hanging.erase(place);
    co_return error == asio::error::operation_aborted;
}

Reply StubServer::Impl::record(Arrival arrival)
{
    const std::string path(path_of(arrival.target));
    Reply reply;
    Answerer answerer;
    {
        const std::scoped_lock lock(mutex);
        arrivals.push_back(arrival);
        if (const auto answering = answerers.find(path); answering != answerers.end()) {
            answerer = answering->second;
        } else if (const auto script = scripts.find(path); script != scripts.end()) {
            reply = script->second.front();
            if (script->second.size() > 1) {
                script->second.pop_front();
            }
        } else {
            reply.status = 404;
        }
    }
    changed.notify_all();
    return answerer ? answerer(arrival) : reply;
}

std::size_t StubServer::Impl::count(std::string_view path) const
{
    return static_cast<std::size_t>(
        std::count_if(arrivals.begin(), arrivals.end(),
                      [path](const Arrival& one) { return path_of(one.target) == path; }));
}

void StubServer::Impl::count_open(std::ptrdiff_t change)
{
    {
        const std::scoped_lock lock(mutex);
        open = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(open) + change);
    }
    changed.notify_all();
}

StubServer::StubServer() : impl_(std::make_unique<Impl>())
{
    asio::co_spawn(impl_->context, impl_->accept(), asio::detached);
    impl_->thread = std::thread([impl = impl_.get()] { impl->context.run(); });
}

StubServer::~StubServer()
{
    impl_->context.stop();
    impl_->thread.join();
}

std::uint16_t StubServer::port() const
{
    return impl_->acceptor.local_endpoint().port();
}

std::string StubServer::url(std::string_view target) const
{
    return "http://127.0.0.1:" + std::to_string(port()) + std::string(target);
}

StubServer::Script StubServer::on(std::string path, Reply reply)
{
    {
        const std::scoped_lock lock(impl_->mutex);
        impl_->answerers.erase(path);
        std::deque<Reply>& script = impl_->scripts[path];
        script.clear();
        script.push_back(std::move(reply));
    }
    return Script(*this, std::move(path));
}

StubServer::Script& StubServer::Script::then(Reply reply)
{
    const std::scoped_lock lock(server_.impl_->mutex);
    server_.impl_->scripts[path_].push_back(std::move(reply));
    return *this;
}

void StubServer::on(std::string path, Answerer answerer)
{
    const std::scoped_lock lock(impl_->mutex);
    impl_->answerers[std::move(path)] = std::move(answerer);
}

void StubServer::release()
{
    {
        const std::scoped_lock lock(impl_->mutex);
        impl_->released = true;
    }
    asio::post(impl_->context, [impl = impl_.get()] {
        for (tcp::socket* socket : impl->hanging) {
            socket->cancel();
        }
    });
}

std::vector<Arrival> StubServer::arrivals() const
{
    const std::scoped_lock lock(impl_->mutex);
    return impl_->arrivals;
}

std::vector<Arrival> StubServer::arrivals(std::string_view path) const
{
    std::vector<Arrival> found = arrivals();
    std::erase_if(found, [path](const Arrival& one) { return path_of(one.target) != path; });
    return found;
}

bool StubServer::wait_for_arrivals(std::string_view path, std::size_t n,
                                   std::chrono::milliseconds timeout) const
{
    std::unique_lock lock(impl_->mutex);
    return impl_->changed.wait_for(lock, timeout, [&] { return impl_->count(path) >= n; });
}

std::size_t StubServer::connections() const
{
    const std::scoped_lock lock(impl_->mutex);
    return impl_->accepted;
}

std::size_t StubServer::open_connections() const
{
    const std::scoped_lock lock(impl_->mutex);
    return impl_->open;
}

bool StubServer::wait_for_open_connections(std::size_t n, std::chrono::milliseconds timeout) const
{
    std::unique_lock lock(impl_->mutex);
    return impl_->changed.wait_for(lock, timeout, [&] { return impl_->open == n; });
}

} // namespace sagabox::testing
