#pragma once

#include "base/scope.hpp"
#include "tests/mail/certificate.hpp"
#include "tests/mail/smtp_fixture.hpp"
#include "transport/smtp_client.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <asio/io_context.hpp>

namespace sagabox::transport {

using namespace std::chrono_literals;
using testing::Certificate;
using testing::SmtpServer;
using Json = SmtpServer::Json;
using Stage = SmtpAnswer::Stage;

inline Task<void> send_into(SmtpClient& client, SmtpRequest request, SmtpAnswer& answer)
{
    answer = co_await client.send(std::move(request));
}

/// A client on its own loop. Each test starts the server that it is about.
class Sending : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (const std::string why = SmtpServer::why_missing(); !why.empty()) {
            GTEST_SKIP() << why;
        }
    }

    SmtpClient& client()
    {
        if (!client_) {
            client_.emplace(context.get_executor(), options);
        }
        return *client_;
    }
    void end_client() { client_.reset(); }

    SmtpAnswer send(SmtpRequest request) { return send_all({std::move(request)}).front(); }

    /// Sends the messages at the same time; returns when all have ended.
    std::vector<SmtpAnswer> send_all(std::vector<SmtpRequest> requests)
    {
        std::vector<SmtpAnswer> answers(requests.size());
        for (std::size_t i = 0; i < requests.size(); ++i) {
            scope.start(send_into(client(), std::move(requests[i]), answers[i]));
        }
        context.restart();
        context.run();
        return answers;
    }

    /// A message of one text to `recipients`, in plain.
    static SmtpRequest letter(const SmtpServer& server,
                              std::vector<std::string> recipients = {"ann@x.example"})
    {
        SmtpRequest request;
        request.host = "127.0.0.1";
        request.port = server.port();
        request.security = SmtpRequest::Security::none;
        request.timeout = 10s;
        request.sender = "shop@x.example";
        request.recipients = std::move(recipients);
        request.headers = {"From: shop@x.example", "To: ann@x.example", "Subject: Order",
                           "Message-ID: <17@x.example>"};
        request.body.content_type = "text/plain; charset=utf-8";
        request.body.content = "Thank you.\n";
        request.body.encoding = MimePart::Encoding::quoted_printable;
        return request;
    }

    asio::io_context context{1};
    Scope scope{context.get_executor(), "test"};
    SmtpClient::Options options;

private:
    std::optional<SmtpClient> client_;
};

} // namespace sagabox::transport
