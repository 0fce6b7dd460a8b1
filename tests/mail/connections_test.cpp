// Several messages, one client: connections that serve again, that died, that are cut.
#include "tests/mail/sending_fixture.hpp"

#include <memory>

#include <asio/error.hpp>
#include <asio/system_error.hpp>

namespace sagabox::transport {
namespace {

Task<void> send_until_stopped(SmtpClient& client, SmtpRequest request, int& stopped)
{
    try {
        static_cast<void>(co_await client.send(std::move(request)));
    } catch (const asio::system_error& e) {
        stopped += e.code() == asio::error::operation_aborted ? 1 : 0;
        throw;
    }
}

TEST_F(Sending, a_connection_serves_one_message_after_another)
{
    const SmtpServer server;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(send(letter(server)).reply.code, 250);
    }
    EXPECT_TRUE(server.wait_for("message", 3));
    EXPECT_EQ(server.count("connection"), 1U);
}

TEST_F(Sending, a_connection_is_not_shared_with_another_user)
{
    const SmtpServer server(Json{{"users", {{"shop", "secret"}, {"desk", "other"}}}});
    for (const auto& [user, password] : {std::pair("shop", "secret"), std::pair("desk", "other")}) {
        SmtpRequest request = letter(server);
        request.user = user;
        request.password = password;
        EXPECT_EQ(send(std::move(request)).reply.code, 250);
    }
    EXPECT_EQ(server.message(0)["envelope"]["user"], "shop");
    EXPECT_EQ(server.message(1)["envelope"]["user"], "desk");
}

TEST_F(Sending, a_connection_that_closed_while_idle_costs_no_message_and_repeats_none)
{
    for (const std::string end : {"drop", "421 4.4.2 too long idle"}) {
        const SmtpServer server(
            Json{{"kind", "scripted"}, {"replies", {{"mail", {"yes", end, "yes"}}}}});
        EXPECT_EQ(send(letter(server)).reply.code, 250);
        // The server notices only at MAIL that it won't go on.
        EXPECT_EQ(send(letter(server)).reply.code, 250) << end;
        ASSERT_TRUE(server.wait_for("message", 2));
        EXPECT_EQ(server.count("arrived"), 2U) << end;
        EXPECT_EQ(server.count("connection"), 2U) << end;
    }
}

TEST_F(Sending, a_connection_that_was_closed_before_its_next_use_is_left_aside)
{
    auto server = std::make_unique<SmtpServer>();
    EXPECT_EQ(send(letter(*server)).reply.code, 250);
    SmtpRequest next = letter(*server);
    server.reset();
    const SmtpAnswer answer = send(std::move(next));
    EXPECT_EQ(answer.stage, Stage::connect);
    EXPECT_EQ(answer.error, "connection refused");
}

TEST_F(Sending, a_message_whose_final_reply_is_lost_on_a_used_connection_is_not_repeated)
{
    const SmtpServer server(Json{{"kind", "scripted"}, {"replies", {{"dot", {"yes", "drop"}}}}});
    EXPECT_EQ(send(letter(server)).reply.code, 250);
    const SmtpAnswer answer = send(letter(server));
    EXPECT_EQ(answer.stage, Stage::final_dot);
    EXPECT_EQ(answer.reply.code, 0);
    ASSERT_TRUE(server.wait_for("closed", 1));
    EXPECT_EQ(server.count("arrived"), 2U);
    EXPECT_EQ(server.count("connection"), 1U);
}

TEST_F(Sending, a_used_connection_that_breaks_after_mail_is_told_and_not_replaced)
{
    const SmtpServer server(
        Json{{"kind", "scripted"}, {"replies", {{"rcpt", {{"*", {"yes", "drop"}}}}}}});
    EXPECT_EQ(send(letter(server)).reply.code, 250);
    const SmtpAnswer answer = send(letter(server));
    EXPECT_EQ(answer.stage, Stage::rcpt);
    EXPECT_EQ(answer.reply.code, 0);
    EXPECT_EQ(server.count("connection"), 1U);
}

TEST_F(Sending, a_hundred_messages_at_once_arrive_once_each)
{
    const SmtpServer server;
    std::vector<SmtpRequest> letters;
    for (int i = 0; i < 100; ++i) {
        letters.push_back(letter(server));
        letters.back().headers[2] = "Subject: number " + std::to_string(i);
    }
    for (const SmtpAnswer& answer : send_all(std::move(letters))) {
        EXPECT_EQ(answer.reply.code, 250) << answer.error;
    }
    ASSERT_TRUE(server.wait_for("message", 100));
    std::set<std::string> subjects;
    for (const Json& message : server.told("message")) {
        subjects.insert(message["subject"]);
    }
    EXPECT_TRUE(server.wait_for("message", 100));
    EXPECT_EQ(subjects.size(), 100U);
}

TEST_F(Sending, a_server_that_is_slow_to_answer_the_final_dot_holds_nobody_up)
{
    const SmtpServer slow(Json{{"replies", {{"dot", "hang"}}}});
    const SmtpServer quick;
    std::vector<SmtpRequest> letters{letter(slow), letter(quick)};
    letters[0].timeout = 1s;
    const std::vector<SmtpAnswer> answers = send_all(std::move(letters));
    EXPECT_EQ(answers[0].stage, Stage::final_dot);
    EXPECT_EQ(answers[0].reply.code, 0);
    EXPECT_EQ(answers[1].reply.code, 250);
    EXPECT_LT(answers[1].duration, 900ms);
}

TEST_F(Sending, a_cancelled_task_has_its_message_cut)
{
    for (const std::string stage : {"greeting", "mail", "dot"}) {
        const SmtpServer server(Json{{"kind", "scripted"}, {"replies", {{stage, "hang"}}}});
        int stopped = 0;
        scope.start(send_until_stopped(client(), letter(server), stopped));
        context.restart();
        while (server.count("hanging") == 0) {
            context.run_one_for(5ms);
        }
        scope.cancel();
        context.run();
        EXPECT_EQ(stopped, 1) << stage;
        EXPECT_TRUE(server.wait_for("closed", 1)) << stage;
    }
}

TEST_F(Sending, destroying_the_client_ends_the_messages_under_way)
{
    for (const std::string stage : {"greeting", "mail", "dot"}) {
        const SmtpServer server(Json{{"kind", "scripted"}, {"replies", {{stage, "hang"}}}});
        int stopped = 0;
        scope.start(send_until_stopped(client(), letter(server), stopped));
        context.restart();
        while (server.count("hanging") == 0) {
            context.run_one_for(5ms);
        }
        end_client();
        context.run();
        EXPECT_EQ(stopped, 1) << stage;
        EXPECT_TRUE(server.wait_for("closed", 1)) << stage;
    }
}

TEST_F(Sending, a_client_that_ends_says_so_on_its_idle_connections)
{
    const SmtpServer server(Json{{"kind", "scripted"}});
    EXPECT_EQ(send(letter(server)).reply.code, 250);
    end_client();
    ASSERT_TRUE(server.wait_for("closed", 1));
    EXPECT_EQ(server.told("command").back()["verb"], "QUIT");
}

TEST_F(Sending, a_connection_that_lay_idle_too_long_is_not_used_again)
{
    options.idle_for = 0ms;
    const SmtpServer server;
    EXPECT_EQ(send(letter(server)).reply.code, 250);
    EXPECT_EQ(send(letter(server)).reply.code, 250);
    EXPECT_EQ(server.count("connection"), 2U);
}

} // namespace
} // namespace sagabox::transport
