// Refusals, cut connections and silence at each stage of the dialogue.
#include "tests/mail/sending_fixture.hpp"

#include <ostream>

namespace sagabox::transport {

inline void PrintTo(Stage stage, std::ostream* out)
{
    *out << "stage " << static_cast<int>(stage);
}

namespace {

/// A stage of the server, and where the client says that it ended.
struct At {
    std::string server;
    Stage client;
};

std::vector<At> stages()
{
    return {{"greeting", Stage::connect}, {"ehlo", Stage::hello}, {"auth", Stage::auth},
            {"mail", Stage::sender},      {"data", Stage::data},  {"dot", Stage::final_dot}};
}

Json replies(const std::string& stage, const Json& action)
{
    const Json at = stage == "rcpt" ? Json{{"*", action}} : action;
    return {{"replies", {{stage, at}}}};
}

const Json scripted{{"kind", "scripted"}, {"users", {{"shop", "secret"}}}};

SmtpRequest signed_in(SmtpRequest request)
{
    request.user = "shop";
    request.password = "secret";
    return request;
}

TEST_F(Sending, a_message_arrives_and_its_reply_is_told)
{
    const SmtpServer server;
    const SmtpAnswer answer = send(letter(server));
    EXPECT_EQ(answer.stage, Stage::final_dot);
    EXPECT_EQ(answer.reply.code, 250);
    EXPECT_EQ(answer.reply.text, "2.0.0 taken");
    ASSERT_EQ(answer.rcpt.size(), 1U);
    EXPECT_EQ(answer.rcpt[0].code, 250);
    EXPECT_EQ(answer.error, "");
    const Json message = server.message();
    EXPECT_EQ(message["envelope"]["from"], "shop@x.example");
    EXPECT_EQ(message["envelope"]["to"], Json({"ann@x.example"}));
    EXPECT_EQ(message["text"], "Thank you.\n");
}

TEST_F(Sending, a_refusal_is_told_with_its_stage_and_reply)
{
    SmtpServer server(scripted);
    for (const auto& [stage, expected] : stages()) {
        for (const std::string code : {"454", "554"}) {
            server.change(replies(stage, code + " 5.0.0 not now"));
            const SmtpAnswer answer = send(signed_in(letter(server)));
            EXPECT_EQ(answer.stage, expected) << stage;
            EXPECT_EQ(std::to_string(answer.reply.code), code) << stage;
            EXPECT_EQ(answer.reply.text, "5.0.0 not now") << stage;
            EXPECT_EQ(server.count("message"), 0U) << stage;
        }
    }
}

TEST_F(Sending, a_connection_that_is_cut_ends_at_its_stage_and_without_a_reply)
{
    auto all = stages();
    all.push_back({"rcpt", Stage::rcpt});
    all.push_back({"body", Stage::data});
    SmtpServer server(scripted);
    std::size_t connections = 0;
    for (const auto& [stage, expected] : all) {
        server.change(replies(stage, "drop"));
        SmtpRequest request = signed_in(letter(server));
        if (stage == "body") {
            request.body.content.assign(std::size_t{8} << 20, 'x'); // more than the wire holds
            request.body.encoding = MimePart::Encoding::base64;
        }
        const SmtpAnswer answer = send(std::move(request));
        EXPECT_EQ(answer.stage, expected) << stage;
        EXPECT_EQ(answer.reply.code, 0) << stage;
        EXPECT_NE(answer.error, "") << stage;
        ASSERT_TRUE(server.wait_for("closed", ++connections)) << stage;
        EXPECT_EQ(server.count("connection"), connections) << stage;
    }
    EXPECT_EQ(server.count("arrived"), 1U) << "only where the final dot had left";
}

TEST_F(Sending, silence_ends_with_the_timeout_at_every_stage)
{
    auto all = stages();
    all.push_back({"rcpt", Stage::rcpt});
    SmtpServer server(scripted);
    for (const auto& [stage, expected] : all) {
        server.change(replies(stage, "hang"));
        SmtpRequest request = signed_in(letter(server));
        request.timeout = 300ms;
        const SmtpAnswer answer = send(std::move(request));
        EXPECT_EQ(answer.stage, expected) << stage;
        EXPECT_EQ(answer.reply.code, 0) << stage;
        EXPECT_NE(answer.error.find("in time"), std::string::npos) << answer.error;
        EXPECT_GE(answer.duration, 290ms) << stage;
        EXPECT_LT(answer.duration, 5s) << stage;
    }
}

TEST_F(Sending, each_recipient_has_its_own_reply_and_the_accepted_ones_get_the_message)
{
    const SmtpServer server(Json{{"replies",
                                  {{"rcpt",
                                    {{"bob@x.example", "550 5.1.1 no such user"},
                                     {"cy@x.example", "450 4.7.1 greylisted"}}}}}});
    const SmtpAnswer answer =
        send(letter(server, {"bob@x.example", "ann@x.example", "cy@x.example", "dan@x.example"}));
    EXPECT_EQ(answer.stage, Stage::final_dot);
    EXPECT_EQ(answer.reply.code, 250);
    ASSERT_EQ(answer.rcpt.size(), 4U);
    EXPECT_EQ(answer.rcpt[0].code, 550);
    EXPECT_EQ(answer.rcpt[0].text, "5.1.1 no such user");
    EXPECT_EQ(answer.rcpt[1].code, 250);
    EXPECT_EQ(answer.rcpt[2].code, 450);
    EXPECT_EQ(answer.rcpt[3].code, 250);
    EXPECT_EQ(server.message()["envelope"]["to"], Json({"ann@x.example", "dan@x.example"}));
}

TEST_F(Sending, where_no_recipient_is_accepted_no_message_leaves)
{
    const SmtpServer server(
        Json{{"kind", "scripted"}, {"replies", {{"rcpt", {{"*", "550 5.1.1 no such user"}}}}}});
    const SmtpAnswer answer = send(letter(server, {"ann@x.example", "bob@x.example"}));
    EXPECT_EQ(answer.stage, Stage::rcpt);
    EXPECT_EQ(answer.reply.code, 550);
    EXPECT_EQ(answer.rcpt[1].code, 550);
    ASSERT_TRUE(server.wait_for("closed", 1));
    for (const Json& command : server.told("command")) {
        EXPECT_NE(command["verb"], "DATA");
    }
}

TEST_F(Sending, a_server_that_greylists_takes_the_message_at_the_second_try)
{
    const SmtpServer server(
        Json{{"replies", {{"rcpt", {{"*", {"450 4.2.0 greylisted", "yes"}}}}}}});
    EXPECT_EQ(send(letter(server)).rcpt[0].code, 450);
    EXPECT_EQ(send(letter(server)).reply.code, 250);
    EXPECT_EQ(server.message()["subject"], "Order");
}

TEST_F(Sending, a_server_that_closes_among_the_recipients_gets_no_message)
{
    const SmtpServer server(Json{
        {"kind", "scripted"}, {"replies", {{"rcpt", {{"bob@x.example", "421 4.3.2 closing"}}}}}});
    const SmtpAnswer answer =
        send(letter(server, {"ann@x.example", "bob@x.example", "cy@x.example"}));
    EXPECT_EQ(answer.stage, Stage::rcpt);
    EXPECT_EQ(answer.reply.code, 421);
    EXPECT_EQ(answer.rcpt[0].code, 250);
    EXPECT_EQ(answer.rcpt[1].code, 421);
    EXPECT_EQ(answer.rcpt[2].code, 0);
    EXPECT_EQ(server.count("arrived"), 0U);
}

TEST_F(Sending, the_size_is_declared_where_it_is_offered_and_too_much_is_refused_before_data)
{
    const SmtpServer server(Json{{"size", 4000}, {"raw", true}});
    ASSERT_EQ(send(letter(server)).reply.code, 250);
    const Json small = server.message();
    EXPECT_EQ(small["envelope"]["parameters"]["SIZE"], std::to_string(small["size"].get<int>()));

    SmtpRequest large = letter(server);
    large.body.content.assign(5000, 'x');
    const SmtpAnswer answer = send(std::move(large));
    EXPECT_EQ(answer.stage, Stage::sender);
    EXPECT_EQ(answer.reply.code, 552);
}

TEST_F(Sending, an_address_beyond_ascii_goes_only_to_a_server_that_takes_it)
{
    const SmtpServer takes;
    EXPECT_EQ(send(letter(takes, {"jörg@x.example"})).reply.code, 250);
    EXPECT_EQ(takes.message()["envelope"]["to"], Json({"jörg@x.example"}));
    EXPECT_EQ(takes.message()["envelope"]["parameters"]["SMTPUTF8"], true);

    const SmtpServer refuses(Json{{"utf8", false}});
    const SmtpAnswer answer = send(letter(refuses, {"jörg@x.example"}));
    EXPECT_EQ(answer.stage, Stage::sender);
    EXPECT_EQ(answer.reply.code, 0);
    EXPECT_NE(answer.error.find("SMTPUTF8"), std::string::npos);
    EXPECT_EQ(refuses.count("message"), 0U);
}

TEST_F(Sending, nothing_that_breaks_a_line_is_sent)
{
    const SmtpServer server;
    const auto refuse = [&](auto change) {
        SmtpRequest request = letter(server);
        change(request);
        const SmtpAnswer answer = send(std::move(request));
        EXPECT_EQ(answer.stage, Stage::refused);
        EXPECT_NE(answer.error, "");
        EXPECT_EQ(answer.error.find("evil"), std::string::npos);
    };
    for (const std::string& evil : {std::string("evil\r\nX: 1"), std::string("evil\nX: 1"),
                                    std::string("evil\rX: 1"), std::string("evil\0X: 1", 9)}) {
        refuse([&](SmtpRequest& r) { r.sender = evil; });
        refuse([&](SmtpRequest& r) { r.recipients[0] = evil; });
        refuse([&](SmtpRequest& r) { r.headers.push_back("Subject: " + evil); });
        refuse([&](SmtpRequest& r) { r.body.content_type = evil; });
        refuse([&](SmtpRequest& r) { r.body.headers.push_back("X-Y: " + evil); });
        refuse([&](SmtpRequest& r) { r.client_name = evil; });
        refuse([&](SmtpRequest& r) { r.host = evil; });
        refuse([&](SmtpRequest& r) { r.user = evil; });
        refuse([&](SmtpRequest& r) { r.password = evil; });
    }
    refuse([](SmtpRequest& r) { r.recipients[0] = "evil@x> NOTIFY=NEVER"; });
    refuse([](SmtpRequest& r) { r.recipients.clear(); });
    refuse([](SmtpRequest& r) { r.headers.push_back("evil"); });
    EXPECT_EQ(server.count("connection"), 0U);
}

} // namespace
} // namespace sagabox::transport
