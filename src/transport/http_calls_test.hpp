#pragma once

#include "base/scope.hpp"
#include "testing/stub_server.hpp"
#include "transport/http_client.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <asio/io_context.hpp>

namespace sagabox::transport {

using namespace std::chrono_literals;
using Delivery = HttpAnswer::Delivery;
using testing::Arrival;
using testing::Reply;
using testing::StubServer;

inline Task<void> call_into(HttpClient& client, HttpRequest request, HttpAnswer& answer)
{
    answer = co_await client.call(std::move(request));
}

/// A client on its own loop, and a stub to call.
class HttpCalls : public ::testing::Test {
protected:
    HttpClient& client()
    {
        if (!client_) {
            client_.emplace(context.get_executor(), options);
        }
        return *client_;
    }

    HttpAnswer call(HttpRequest request) { return call_all({std::move(request)}).front(); }

    /// Makes the calls at the same time; returns when all have ended.
    std::vector<HttpAnswer> call_all(std::vector<HttpRequest> requests)
    {
        std::vector<HttpAnswer> answers(requests.size());
        for (std::size_t i = 0; i < requests.size(); ++i) {
            scope.start(call_into(client(), std::move(requests[i]), answers[i]));
        }
        context.restart();
        context.run();
        return answers;
    }

    HttpRequest get(std::string_view target) const
    {
        return HttpRequest{.method = "GET", .url = stub.url(target), .timeout = 5s};
    }

    HttpRequest post(std::string_view target, std::string body = R"({"n":1})") const
    {
        return HttpRequest{.method = "POST",
                           .url = stub.url(target),
                           .headers = {{"Content-Type", "application/json"}},
                           .body = std::move(body),
                           .timeout = 5s};
    }

    StubServer stub;
    asio::io_context context{1};
    Scope scope{context.get_executor(), "test"};
    HttpClient::Options options;

private:
    std::optional<HttpClient> client_;
};

} // namespace sagabox::transport
