#include "tests/torture/gate.hpp"

#include "base/task.hpp"

#include <array>
#include <list>
#include <thread>

#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

namespace sagabox::torture {

using asio::ip::tcp;

struct Gate::Impl {
    /// Both sides of a connection. Shared by its two pumps.
    struct Pair {
        explicit Pair(tcp::socket accepted, asio::io_context& context)
            : client(std::move(accepted)), server(context)
        {
        }
        tcp::socket client;
        tcp::socket server;
        bool dumb = false;
        bool one_side_gone = false;

        void close()
        {
            asio::error_code ignored;
            client.close(ignored);
            server.close(ignored);
        }
    };

    explicit Impl(std::uint16_t port)
        : acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
          target(asio::ip::address_v4::loopback(), port)
    {
    }

    Task<void> accept()
    {
        for (;;) {
            asio::error_code error;
            tcp::socket socket =
                co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
            if (error) {
                co_return;
            }
            const auto pair = std::make_shared<Pair>(std::move(socket), context);
            pairs.push_back(pair);
            asio::co_spawn(context, serve(pair), asio::detached);
        }
    }

    Task<void> serve(std::shared_ptr<Pair> pair)
    {
        asio::error_code error;
        if (swallowing) {
            pair->dumb = true;
        } else {
            co_await pair->server.async_connect(target,
                                                asio::redirect_error(asio::use_awaitable, error));
            if (error) {
                pair->close();
                pairs.remove(pair);
                co_return;
            }
            asio::error_code ignored;
            pair->client.set_option(tcp::no_delay(true), ignored);
            pair->server.set_option(tcp::no_delay(true), ignored);
            asio::co_spawn(context, pump(pair, &pair->server, &pair->client), asio::detached);
        }
        co_await pump(pair, &pair->client, &pair->server);
    }

    Task<void> pump(std::shared_ptr<Pair> pair, tcp::socket* from, tcp::socket* to)
    {
        std::array<char, 16384> bytes;
        asio::error_code error;
        while (!error) {
            const std::size_t got = co_await from->async_read_some(
                asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
            if (!error && !pair->dumb) {
                const asio::const_buffer some(bytes.data(), got);
                co_await asio::async_write(*to, some,
                                           asio::redirect_error(asio::use_awaitable, error));
            }
        }
        pair->one_side_gone = true;
        if (!pair->dumb || !swallowing) {
            pair->close();
            pairs.remove(pair);
        }
    }

    void swallow()
    {
        swallowing = true;
        for (const std::shared_ptr<Pair>& pair : pairs) {
            pair->dumb = true;
        }
    }

    void heal()
    {
        swallowing = false;
        for (const std::shared_ptr<Pair>& pair : pairs) {
            if (pair->one_side_gone) {
                pair->close();
            }
        }
        pairs.remove_if([](const auto& pair) { return pair->one_side_gone; });
    }

    void reset_dumb()
    {
        for (const std::shared_ptr<Pair>& pair : pairs) {
            if (pair->dumb) {
                pair->close();
            }
        }
    }

    asio::io_context context{1};
    tcp::acceptor acceptor;
    tcp::endpoint target;
    std::list<std::shared_ptr<Pair>> pairs;
    bool swallowing = false; ///< of the gate's thread alone
    std::thread thread;
};

Gate::Gate(std::uint16_t target) : impl_(std::make_unique<Impl>(target))
{
    asio::co_spawn(impl_->context, impl_->accept(), asio::detached);
    impl_->thread = std::thread([impl = impl_.get()] { impl->context.run(); });
}

Gate::~Gate()
{
    impl_->context.stop();
    impl_->thread.join();
}

std::uint16_t Gate::port() const
{
    return impl_->acceptor.local_endpoint().port();
}

void Gate::swallow()
{
    asio::post(impl_->context, [impl = impl_.get()] { impl->swallow(); });
}

void Gate::heal()
{
    asio::post(impl_->context, [impl = impl_.get()] { impl->heal(); });
}

void Gate::reset_dumb()
{
    asio::post(impl_->context, [impl = impl_.get()] { impl->reset_dumb(); });
}

} // namespace sagabox::torture
