#pragma once

#include "http/raw_client_test.hpp"
#include "tests/functional/saga_fixture.hpp"
#include "json/value.hpp"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace sagabox::testing {

/// What the API answered.
struct HttpAnswer {
    int status = 0;
    std::string head; ///< status line and headers
    std::string body;

    [[nodiscard]] json::Value json() const
    {
        return json::parse(body).value_or(json::Value("no JSON: " + body));
    }
    /// A member of the body as text: a string's characters, a number's digits, else compact JSON.
    [[nodiscard]] std::string at(std::string_view name) const
    {
        const json::Value document = json();
        const json::Value* value = document.find(name);
        if (value == nullptr) {
            return "nothing";
        }
        if (const std::string* text = value->as_string()) {
            return *text;
        }
        return json::write(*value);
    }
};

/// The program with its API, over real HTTP.
class ApiRelayTest : public SagaTest {
protected:
    /// The port that the program says it answers on.
    static std::uint16_t port_of(const RelayProcess& relay)
    {
        constexpr std::string_view before = "the API answers on 127.0.0.1 port ";
        if (!relay.wait_for_log(before, patience)) {
            throw std::runtime_error("no API: " + relay.log());
        }
        const std::string log = relay.log();
        return static_cast<std::uint16_t>(std::stoi(log.substr(log.find(before) + before.size())));
    }

    static HttpAnswer send(std::uint16_t port, const std::string& request)
    {
        http::RawClient client(port);
        client.send(request);
        const std::string answer = client.read_answer();
        HttpAnswer read;
        const std::size_t end = answer.find("\r\n\r\n");
        if (answer.size() > 12 && end != std::string::npos) {
            read.status = std::stoi(answer.substr(9, 3));
            read.head = answer.substr(0, end);
            read.body = answer.substr(end + 4);
        }
        return read;
    }

    static HttpAnswer get(std::uint16_t port, const std::string& target,
                          const std::string& headers = "")
    {
        return send(port, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    }

    static HttpAnswer post(std::uint16_t port, const std::string& target,
                           const std::string& body = "", const std::string& headers = "")
    {
        return send(port, "POST " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
                              (body.empty() ? "" : "Content-Type: application/json\r\n") +
                              "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }

    /// Asks until the answer has this status, and gives it.
    static HttpAnswer await_answer(std::uint16_t port, const std::string& path, int status)
    {
        const auto until = std::chrono::steady_clock::now() + patience;
        for (;;) {
            HttpAnswer answer = get(port, path);
            if (answer.status == status) {
                return answer;
            }
            if (std::chrono::steady_clock::now() > until) {
                throw std::runtime_error(path + " never became " + std::to_string(status) + ": " +
                                         answer.body);
            }
        }
    }

    static void await_ready(std::uint16_t port)
    {
        static_cast<void>(await_answer(port, "/readyz", 200));
    }

    static std::size_t items_in(const HttpAnswer& answer)
    {
        const json::Value document = answer.json();
        const json::Value* items = document.find("items");
        return items == nullptr ? std::string::npos : items->as_array()->size();
    }
};

} // namespace sagabox::testing
