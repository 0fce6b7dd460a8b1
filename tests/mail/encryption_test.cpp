// STARTTLS, TLS, certificates and AUTH: neither password nor mail may leave unprotected.
#include "tests/mail/sending_fixture.hpp"

namespace sagabox::transport {
namespace {

using Security = SmtpRequest::Security;

Json with_user(Json settings)
{
    settings["users"] = {{"shop", "secret"}};
    return settings;
}

SmtpRequest protected_letter(const SmtpServer& server, Security security,
                             const std::string& ca_file)
{
    SmtpRequest request;
    request.host = "127.0.0.1";
    request.port = server.port();
    request.security = security;
    request.ca_file = ca_file;
    request.user = "shop";
    request.password = "secret";
    request.timeout = 10s;
    request.sender = "shop@x.example";
    request.recipients = {"ann@x.example"};
    request.headers = {"From: shop@x.example", "Subject: Order"};
    request.body.content_type = "text/plain; charset=utf-8";
    request.body.content = "Thank you.\n";
    return request;
}

void expect_nothing_left(const SmtpServer& server)
{
    EXPECT_EQ(server.count("sign_in"), 0U);
    EXPECT_EQ(server.count("message"), 0U);
    for (const Json& command : server.told("command")) {
        EXPECT_NE(command["verb"], "AUTH");
        EXPECT_NE(command["verb"], "MAIL");
    }
}

TEST_F(Sending, starttls_and_tls_protect_password_and_message)
{
    const Certificate certificate;
    for (const auto& [tls, security] :
         {std::pair("starttls", Security::starttls), std::pair("implicit", Security::tls)}) {
        const SmtpServer server(with_user(certificate.settings(tls)));
        const SmtpAnswer answer = send(protected_letter(server, security, certificate.file()));
        EXPECT_EQ(answer.reply.code, 250) << answer.error;
        EXPECT_EQ(server.told("sign_in").at(0)["secure"], true);
        EXPECT_EQ(server.message()["envelope"]["secure"], true);
        // A second one over the same connection.
        EXPECT_EQ(send(protected_letter(server, security, certificate.file())).reply.code, 250);
        EXPECT_EQ(server.count("connection"), 1U);
    }
}

TEST_F(Sending, a_server_without_starttls_gets_neither_password_nor_message)
{
    const SmtpServer server(Json{{"kind", "scripted"}, {"users", {{"shop", "secret"}}}});
    const SmtpAnswer answer = send(protected_letter(server, Security::starttls, ""));
    EXPECT_EQ(answer.stage, Stage::hello);
    EXPECT_EQ(answer.reply.code, 0);
    EXPECT_EQ(answer.error, "the server does not offer STARTTLS");
    ASSERT_TRUE(server.wait_for("closed", 1));
    expect_nothing_left(server);
}

TEST_F(Sending, a_server_that_refuses_starttls_gets_neither_password_nor_message)
{
    const Certificate certificate;
    Json settings = with_user(certificate.settings("starttls"));
    settings["kind"] = "scripted";
    settings["replies"] = {{"starttls", "454 4.7.0 TLS not available"}};
    const SmtpServer server(settings);
    const SmtpAnswer answer =
        send(protected_letter(server, Security::starttls, certificate.file()));
    EXPECT_EQ(answer.stage, Stage::hello);
    EXPECT_EQ(answer.reply.code, 454);
    ASSERT_TRUE(server.wait_for("closed", 1));
    expect_nothing_left(server);
}

TEST_F(Sending, what_is_said_in_plain_behind_starttls_ends_the_dialogue)
{
    const Certificate certificate;
    Json settings = with_user(certificate.settings("starttls"));
    settings["kind"] = "scripted";
    settings["inject"] = "250-forged\r\n250 AUTH PLAIN";
    const SmtpServer server(settings);
    const SmtpAnswer answer =
        send(protected_letter(server, Security::starttls, certificate.file()));
    EXPECT_EQ(answer.stage, Stage::hello);
    EXPECT_EQ(answer.reply.code, 0);
    EXPECT_NE(answer.error.find("STARTTLS"), std::string::npos) << answer.error;
    ASSERT_TRUE(server.wait_for("closed", 1));
    expect_nothing_left(server);
}

TEST_F(Sending, certificates_that_are_not_valid_end_it_before_anything_is_said)
{
    const Certificate mine;
    const Certificate expired("IP:127.0.0.1", Certificate::Validity::expired);
    const Certificate elsewhere("DNS:elsewhere.example");
    struct Bad {
        const Certificate& shown;
        std::string trusted;
        std::string said;
    };
    for (const Bad& bad : {Bad{mine, "", "self"}, Bad{expired, expired.file(), "expired"},
                           Bad{elsewhere, elsewhere.file(), "not for this host"}}) {
        for (const auto& [tls, security] :
             {std::pair("starttls", Security::starttls), std::pair("implicit", Security::tls)}) {
            const SmtpServer server(with_user(bad.shown.settings(tls)));
            const SmtpAnswer answer = send(protected_letter(server, security, bad.trusted));
            EXPECT_EQ(answer.stage, Stage::connect) << tls << bad.said;
            EXPECT_EQ(answer.reply.code, 0);
            EXPECT_NE(answer.error.find("certificate not valid"), std::string::npos)
                << answer.error;
            EXPECT_NE(answer.error.find(bad.said), std::string::npos) << answer.error;
            expect_nothing_left(server);
        }
    }
}

TEST_F(Sending, a_wrong_password_is_told_and_never_shown)
{
    const SmtpServer server(Json{{"users", {{"shop", "other"}}}});
    SmtpRequest request = protected_letter(server, Security::none, "");
    const SmtpAnswer answer = send(std::move(request));
    EXPECT_EQ(answer.stage, Stage::auth);
    EXPECT_EQ(answer.reply.code, 535);
    EXPECT_EQ(server.count("message"), 0U);
}

TEST_F(Sending, a_server_that_repeats_the_password_does_not_bring_it_into_the_reply)
{
    // base64 of "\0shop\0secret"
    const SmtpServer server(
        Json{{"kind", "scripted"},
             {"users", {{"shop", "secret"}}},
             {"replies", {{"auth", "535 AHNob3AAc2VjcmV0 (secret) is wrong"}}}});
    const SmtpAnswer answer = send(protected_letter(server, Security::none, ""));
    EXPECT_EQ(answer.reply.code, 535);
    EXPECT_EQ(answer.reply.text, "*** (***) is wrong");
}

TEST_F(Sending, a_server_that_offers_no_way_to_sign_in_gets_no_message)
{
    const SmtpServer server(Json{{"kind", "scripted"}});
    const SmtpAnswer answer = send(protected_letter(server, Security::none, ""));
    EXPECT_EQ(answer.stage, Stage::auth);
    EXPECT_EQ(answer.reply.code, 0);
    ASSERT_TRUE(server.wait_for("closed", 1));
    expect_nothing_left(server);
}

} // namespace
} // namespace sagabox::transport
