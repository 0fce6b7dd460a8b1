#include "testing/stub_wire.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <strings.h>

#include <asio/redirect_error.hpp>
#include <asio/socket_base.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <fmt/format.h>

namespace sagabox::testing {

namespace {

bool same_name(std::string_view one, std::string_view other)
{
    return one.size() == other.size() && strncasecmp(one.data(), other.data(), one.size()) == 0;
}

} // namespace

std::string Arrival::header(std::string_view name) const
{
    const auto found = std::find_if(headers.begin(), headers.end(), [name](const auto& header) {
        return same_name(header.first, name);
    });
    return found == headers.end() ? std::string() : found->second;
}

std::size_t Arrival::count_of(std::string_view header_name) const
{
    return static_cast<std::size_t>(
        std::count_if(headers.begin(), headers.end(), [header_name](const auto& header) {
            return same_name(header.first, header_name);
        }));
}

} // namespace sagabox::testing

namespace sagabox::testing::wire {

using asio::ip::tcp;

namespace {

Task<bool> read_more(tcp::socket& socket, std::string& unread)
{
    std::array<char, 16384> bytes;
    asio::error_code error;
    const asio::mutable_buffer buffer = asio::buffer(bytes);
    const std::size_t count =
        co_await socket.async_read_some(buffer, asio::redirect_error(asio::use_awaitable, error));
    unread.append(bytes.data(), count);
    co_return !error;
}

/// Makes `unread` hold the text up to and including `end`; the length of it, or npos.
Task<std::size_t> read_until(tcp::socket& socket, std::string& unread, std::string_view end)
{
    for (;;) {
        const std::size_t found = unread.find(end);
        if (found != std::string::npos) {
            co_return found + end.size();
        }
        const bool more = co_await read_more(socket, unread);
        if (!more) {
            co_return std::string::npos;
        }
    }
}

Task<bool> read_exactly(tcp::socket& socket, std::string& unread, std::size_t size,
                        std::string& into)
{
    while (unread.size() < size) {
        const bool more = co_await read_more(socket, unread);
        if (!more) {
            co_return false;
        }
    }
    into.append(unread, 0, size);
    unread.erase(0, size);
    co_return true;
}

Task<bool> read_chunks(tcp::socket& socket, std::string& unread, std::string& body)
{
    for (;;) {
        const std::size_t line = co_await read_until(socket, unread, "\r\n");
        if (line == std::string::npos) {
            co_return false;
        }
        std::size_t size = 0;
        std::from_chars(unread.data(), unread.data() + line, size, 16);
        unread.erase(0, line);
        std::string line_end;
        const bool whole = co_await read_exactly(socket, unread, size, body);
        const bool ended = co_await read_exactly(socket, unread, 2, line_end);
        if (!whole || !ended || size == 0) {
            co_return whole&& ended;
        }
    }
}

void parse_head(std::string_view head, Arrival& arrival)
{
    const std::size_t line_end = head.find("\r\n");
    const std::string_view line = head.substr(0, line_end);
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    arrival.method = line.substr(0, first);
    arrival.target = first < last ? line.substr(first + 1, last - first - 1) : std::string_view();
    head.remove_prefix(line_end + 2);
    while (head.size() > 2) {
        const std::size_t end = head.find("\r\n");
        const std::string_view header = head.substr(0, end);
        const std::size_t colon = header.find(':');
        const std::size_t value = header.find_first_not_of(" \t", colon + 1);
        arrival.headers.emplace_back(header.substr(0, colon), value == std::string_view::npos
                                                                  ? std::string_view()
                                                                  : header.substr(value));
        head.remove_prefix(end + 2);
    }
}

Task<void> pause(std::chrono::milliseconds span)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, span);
    co_await timer.async_wait(asio::use_awaitable);
}

Task<bool> send(tcp::socket& socket, std::string_view bytes)
{
    asio::error_code error;
    const asio::const_buffer buffer = asio::buffer(bytes);
    co_await asio::async_write(socket, buffer, asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
}

Task<bool> send_by_bytes(tcp::socket& socket, std::string_view bytes,
                         std::chrono::milliseconds interval)
{
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const bool sent = co_await send(socket, bytes.substr(i, 1));
        if (!sent) {
            co_return false;
        }
        co_await pause(interval);
    }
    co_return true;
}

Task<bool> send_filler(tcp::socket& socket, std::size_t size)
{
    const std::string block(std::size_t{64} << 10, 'x');
    while (size > 0) {
        const std::size_t part = std::min(size, block.size());
        const std::string_view piece = std::string_view(block).substr(0, part);
        const bool sent = co_await send(socket, piece);
        if (!sent) {
            co_return false;
        }
        size -= part;
    }
    co_return true;
}

bool in_chunks(Reply::Manner manner)
{
    return manner == Reply::Manner::chunked || manner == Reply::Manner::cut_chunks ||
           manner == Reply::Manner::bad_chunk;
}

std::string head_of(const Reply& reply)
{
    std::string head = fmt::format("HTTP/1.1 {} Stub\r\n", reply.status);
    for (const auto& [name, value] : reply.headers) {
        head += fmt::format("{}: {}\r\n", name, value);
    }
    if (reply.header_filler > 0) {
        head += fmt::format("X-Filler: {}\r\n", std::string(reply.header_filler, 'f'));
    }
    const bool has_no_body = reply.status == 204 || reply.status == 304;
    if (in_chunks(reply.manner)) {
        head += "Transfer-Encoding: chunked\r\n";
    } else if (!has_no_body) {
        const std::size_t missing = reply.manner == Reply::Manner::cut_body ? reply.missing : 0;
        head += fmt::format("Content-Length: {}\r\n", reply.body.size() + reply.filler + missing);
    }
    return head + "\r\n";
}

std::string body_of(const Reply& reply)
{
    switch (reply.manner) {
    case Reply::Manner::chunked:
        return fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", reply.body.size(), reply.body);
    case Reply::Manner::cut_chunks:
        return fmt::format("{:x}\r\n{}\r\n", reply.body.size(), reply.body);
    case Reply::Manner::bad_chunk:
        return fmt::format("zz\r\n{}\r\n", reply.body);
    default:
        return reply.body;
    }
}

void reset(tcp::socket& socket)
{
    asio::error_code ignored;
    socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
}

} // namespace

Task<std::optional<Arrival>> read_request(tcp::socket& socket, std::string& unread)
{
    const std::size_t head_size = co_await read_until(socket, unread, "\r\n\r\n");
    if (head_size == std::string::npos) {
        co_return std::nullopt;
    }
    Arrival arrival;
    parse_head(std::string_view(unread).substr(0, head_size), arrival);
    unread.erase(0, head_size);
    bool whole = true;
    if (arrival.count_of("Transfer-Encoding") > 0) {
        whole = co_await read_chunks(socket, unread, arrival.body);
    } else {
        const std::string length = arrival.header("Content-Length");
        std::size_t size = 0;
        std::from_chars(length.data(), length.data() + length.size(), size);
        whole = co_await read_exactly(socket, unread, size, arrival.body);
    }
    if (!whole) {
        co_return std::nullopt;
    }
    co_return arrival;
}

Task<bool> write_reply(tcp::socket& socket, const Reply& reply, bool wants_body)
{
    using Manner = Reply::Manner;
    if (reply.delay.count() > 0) {
        co_await pause(reply.delay);
    }
    if (reply.manner == Manner::close) {
        co_return false;
    }
    if (reply.manner == Manner::reset) {
        reset(socket);
        co_return false;
    }
    const std::string head = head_of(reply);
    const std::string body = body_of(reply);
    if (reply.manner == Manner::garbage || reply.manner == Manner::cut_headers) {
        const std::string_view instead = reply.manner == Manner::garbage
                                             ? std::string_view(body)
                                             : std::string_view(head).substr(0, head.size() - 4);
        co_await send(socket, instead);
        co_return false;
    }

    // One write, as a real server does: small answers fit one packet.
    bool sent = true;
    if (reply.drip == Reply::Drip::none) {
        const std::string whole = wants_body ? head + body : head;
        sent = co_await send(socket, whole);
    } else if (reply.drip == Reply::Drip::headers) {
        sent = co_await send_by_bytes(socket, head, reply.drip_interval);
        sent = sent && co_await send(socket, body);
    } else {
        sent = co_await send(socket, head);
        sent = sent && co_await send_by_bytes(socket, body, reply.drip_interval);
    }
    if (sent && wants_body && reply.filler > 0) {
        sent = co_await send_filler(socket, reply.filler);
    }
    const bool closes = reply.manner == Manner::cut_body || reply.manner == Manner::cut_chunks ||
                        reply.manner == Manner::bad_chunk || reply.close_after;
    co_return sent && !closes;
}

} // namespace sagabox::testing::wire
