#include "shop/smtp_receiver.hpp"

#include "shop/smtp_session.hpp"

#include <array>
#include <thread>
#include <utility>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>

namespace shop {
namespace {

using asio::ip::tcp;

/// One client: reads what comes, and writes what the session answers.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket socket, const SmtpReceiver::Taker& take)
        : timer_(socket.get_executor()), socket_(std::move(socket)), session_(take)
    {
    }

    void start() { write(session_.greeting()); }

private:
    void read()
    {
        socket_.async_read_some(
            asio::buffer(buffer_),
            [self = shared_from_this()](const std::error_code& error, std::size_t bytes) {
                if (!error) {
                    self->answer(self->session_.received({self->buffer_.data(), bytes}));
                }
            });
    }

    void answer(std::string text)
    {
        const std::chrono::milliseconds delay = session_.take_delay();
        if (delay.count() == 0) {
            write(std::move(text));
            return;
        }
        timer_.expires_after(delay);
        timer_.async_wait(
            [self = shared_from_this(), text = std::move(text)](const std::error_code& error) {
                if (!error) {
                    self->write(text);
                }
            });
    }

    void write(std::string answer)
    {
        if (answer.empty()) {
            read();
            return;
        }
        answer_ = std::move(answer);
        asio::async_write(socket_, asio::buffer(answer_),
                          [self = shared_from_this()](const std::error_code& error, std::size_t) {
                              if (!error && !self->session_.over()) {
                                  self->read();
                              }
                          });
    }

    asio::steady_timer timer_;
    tcp::socket socket_;
    SmtpSession session_;
    std::array<char, 16'384> buffer_{};
    std::string answer_;
};

} // namespace

struct SmtpReceiver::Impl {
    explicit Impl(Taker t) : take(std::move(t)) {}

    void accept()
    {
        acceptor.async_accept([this](const std::error_code& error, tcp::socket socket) {
            if (error) {
                return;
            }
            std::make_shared<Connection>(std::move(socket), take)->start();
            accept();
        });
    }

    Taker take;
    asio::io_context context{1};
    tcp::acceptor acceptor{context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
    std::thread thread;
};

SmtpReceiver::SmtpReceiver(Taker take) : impl_(std::make_unique<Impl>(std::move(take)))
{
    impl_->accept();
    impl_->thread = std::thread([this] { impl_->context.run(); });
}

SmtpReceiver::~SmtpReceiver()
{
    impl_->context.stop();
    impl_->thread.join();
}

std::uint16_t SmtpReceiver::port() const
{
    return impl_->acceptor.local_endpoint().port();
}

} // namespace shop
