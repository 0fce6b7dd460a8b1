// What a real reader of mail makes of what is composed and sent here.
#include "mail/compose.hpp"
#include "tests/mail/sending_fixture.hpp"

#include <algorithm>

namespace sagabox::transport {
namespace {

std::string repeated(std::string_view text, int times)
{
    std::string out;
    for (int i = 0; i < times; ++i) {
        out += text;
    }
    return out;
}

mail::Message message_to(std::vector<std::string> to)
{
    mail::Message message;
    message.message_id = "<17@shop.example>";
    message.received_at = DbTime{std::chrono::seconds(1'796'096'950)};
    message.to = std::move(to);
    message.subject = "Order 17";
    message.text = "Thank you.";
    return message;
}

class Content : public Sending {
protected:
    void SetUp() override
    {
        Sending::SetUp();
        if (!IsSkipped()) {
            server.emplace(Json{{"raw", true}});
        }
    }

    /// Composes and sends; what the server's reader read.
    Json read_back(mail::Message message, const std::vector<std::string>& skip = {})
    {
        Result<mail::Composed> composed =
            mail::compose(std::move(message), "Wörld \"Shop\" <shop@shop.example>", skip);
        EXPECT_TRUE(composed) << (composed ? "" : composed.error().text());
        SmtpRequest request = letter(*server);
        request.sender = std::move(composed->sender);
        request.recipients = std::move(composed->recipients);
        request.headers = std::move(composed->headers);
        request.body = std::move(composed->body);
        const SmtpAnswer answer = send(std::move(request));
        EXPECT_EQ(answer.reply.code, 250) << answer.error << answer.reply.text;
        return server->message(sent_++);
    }

    std::optional<SmtpServer> server;

private:
    std::size_t sent_ = 0;
};

TEST_F(Content, headers_are_read_back_as_they_were_meant)
{
    mail::Message message = message_to({"Ann Lee <ann@x.example>", "\"Lee, Bob\" <bob@x.example>"});
    message.cc = {"Jörg Müller <joerg@münchen.example>"};
    message.bcc = {"Eve <eve@x.example>"};
    message.reply_to = "Hilfe für alle <help@shop.example>";
    message.correlation_id = "корреляция";
    message.document_type = "order";
    const Json read = read_back(std::move(message));

    EXPECT_EQ(read["from"],
              Json::parse(R"([{"name": "Wörld \"Shop\"", "address": "shop@shop.example"}])"));
    EXPECT_EQ(read["to"], Json::parse(R"([{"name": "Ann Lee", "address": "ann@x.example"},
                                          {"name": "Lee, Bob", "address": "bob@x.example"}])"));
    EXPECT_EQ(read["cc"][0]["name"], "Jörg Müller");
    EXPECT_EQ(read["reply_to"][0]["name"], "Hilfe für alle");
    EXPECT_EQ(read["message_id"], "<17@shop.example>");
    EXPECT_EQ(read["date"], "2026-12-01T03:49:10.000Z");
    // The server shows domains as people read them.
    EXPECT_EQ(read["envelope"]["to"],
              Json({"ann@x.example", "bob@x.example", "joerg@münchen.example", "eve@x.example"}));
    EXPECT_EQ(read["bcc"], Json::array());
    EXPECT_EQ(testing::from_base64(read["raw"].get<std::string>()).find("eve"), std::string::npos)
        << "nobody else may learn of a hidden recipient";
}

TEST_F(Content, subjects_in_any_script_are_read_back)
{
    for (const std::string& subject :
         {std::string("Bestellung für Jörg"), std::string("ご注文ありがとうございます"),
          std::string("طلبك رقم ١٧"), std::string("two  blanks, and = ? _ signs"),
          std::string("=?UTF-8?Q?not_encoded?="), repeated("длинная тема ", 40) + ".",
          repeated("x", 900), repeated("😀", 100), std::string("tab\there"), std::string()}) {
        mail::Message message = message_to({"ann@x.example"});
        message.subject = subject;
        const Json read = read_back(std::move(message));
        EXPECT_EQ(read["subject"], subject);
        EXPECT_LE(read["longest_line"].get<int>(), 78) << subject;
    }
}

TEST_F(Content, display_names_in_any_script_are_read_back)
{
    for (const std::string& name :
         {std::string("Ann"), std::string("O'Neil"), std::string("Lee, Ann (sales) <x>"),
          std::string("back\\slash \"quoted\""), std::string("山田 太郎"),
          repeated("Jörg ", 40) + "M", std::string("=?UTF-8?B?eA==?="),
          std::string("a@b.example")}) {
        std::string quoted = "\"";
        for (const char c : name) {
            quoted.append(c == '"' || c == '\\' ? "\\" : "").append(1, c);
        }
        const Json read = read_back(message_to({quoted + "\" <ann@x.example>"}));
        EXPECT_EQ(read["to"][0]["name"], name);
        EXPECT_EQ(read["to"][0]["address"], "ann@x.example");
        EXPECT_EQ(read["envelope"]["to"], Json({"ann@x.example"}));
    }
}

TEST_F(Content, file_names_in_any_script_are_read_back)
{
    for (const std::string& name :
         {std::string("order.pdf"), std::string("order 17 (final); v=2.pdf"),
          std::string("say \"hi\" \\ it's.pdf"), std::string("Rechnung für Jörg.pdf"),
          std::string("請求書.pdf"), std::string("فاتورة.pdf"), repeated("n", 296) + ".pdf",
          repeated("名", 296) + ".pdf", std::string("100%25.pdf"), std::string("it's.pdf"),
          std::string("💶.pdf")}) {
        mail::Message message = message_to({"ann@x.example"});
        message.attachments = {{name, "application/pdf", "%PDF-1.4"}};
        const Json read = read_back(std::move(message));
        ASSERT_EQ(read["attachments"].size(), 1U);
        EXPECT_EQ(read["attachments"][0]["file_name"], name);
        EXPECT_EQ(read["attachments"][0]["content_type"], "application/pdf");
        EXPECT_EQ(read["attachments"][0]["disposition"], "attachment");
        EXPECT_LE(read["longest_line"].get<int>(), 78) << name;
    }
}

TEST_F(Content, texts_come_back_as_they_were)
{
    for (const std::string& text :
         {std::string("one line"), std::string("two\nlines\n"), std::string(".\n..\n.dot\n\n."),
          std::string("From here\nfrom there"), repeated("long ", 4000),
          repeated("x", 5000) + "\n" + repeated("語", 3000),
          std::string("trailing blanks  \t\nend"), std::string("a=b =3D =\n="),
          std::string("bare\nline\nfeeds"), std::string("\xc2\x80 eight bits ÿ"),
          std::string("--=_part_1_\nno boundary")}) {
        mail::Message message = message_to({"ann@x.example"});
        message.text = text;
        message.html = "<p>" + text + "</p>";
        const Json read = read_back(std::move(message));
        EXPECT_EQ(read["text"], text);
        EXPECT_EQ(read["html"], "<p>" + text + "</p>");
        EXPECT_LE(read["longest_line"].get<int>(), 78);
    }
}

TEST_F(Content, attachments_come_back_byte_for_byte)
{
    std::string every_byte;
    for (int i = 0; i < 256; ++i) {
        every_byte += static_cast<char>(i);
    }
    const std::vector<std::string> contents{every_byte,
                                            repeated(every_byte, 1000),
                                            "",
                                            "\n.\r\n.\n..",
                                            "bare\nline\nfeeds and a\rreturn",
                                            repeated("x", 200'000),
                                            "one byte less than a line" + repeated("y", 31)};
    mail::Message message = message_to({"ann@x.example"});
    message.html = "<b>Thank you.</b>";
    for (const std::string& content : contents) {
        message.attachments.push_back({"a.bin", "application/octet-stream", content});
        message.attachments.push_back({"a.txt", "text/plain", content});
        message.attachments.push_back({"a.eml", "message/rfc822", content});
    }
    const Json read = read_back(std::move(message));
    EXPECT_EQ(read["text"], "Thank you.");
    EXPECT_EQ(read["html"], "<b>Thank you.</b>");
    ASSERT_EQ(read["attachments"].size(), contents.size() * 3);
    for (std::size_t i = 0; i < contents.size() * 3; ++i) {
        const std::string content =
            testing::from_base64(read["attachments"][i]["content"].get<std::string>());
        EXPECT_TRUE(content == contents[i / 3]) << i;
    }
    const std::string raw = testing::from_base64(read["raw"].get<std::string>());
    EXPECT_TRUE(std::none_of(raw.begin(), raw.end(), [](char c) { return (c & '\x80') != 0; }))
        << "a message is ASCII, so that no server on the way has to change it";
    EXPECT_EQ(read["envelope"]["parameters"].contains("SMTPUTF8"), false);
}

TEST_F(Content, a_text_alone_is_read_back_too)
{
    mail::Message message = message_to({"ann@x.example"});
    message.text = "\n.\n..two\n";
    EXPECT_EQ(read_back(message)["text"], message.text);
    message.text.clear();
    message.html = "<p>Grüße</p>\n";
    EXPECT_EQ(read_back(message)["html"], message.html);
}

TEST_F(Content, whoever_is_skipped_gets_nothing_and_stays_named)
{
    mail::Message message = message_to({"ann@x.example", "bob@x.example"});
    const Json read = read_back(std::move(message), {"ann@x.example"});
    EXPECT_EQ(read["envelope"]["to"], Json({"bob@x.example"}));
    EXPECT_EQ(read["to"].size(), 2U);
}

TEST_F(Content, an_address_beyond_ascii_is_read_back_from_a_server_that_takes_it)
{
    const Json read = read_back(message_to({"Jörg <jörg@x.example>"}));
    EXPECT_EQ(read["envelope"]["to"], Json({"jörg@x.example"}));
    EXPECT_EQ(read["to"][0]["name"], "Jörg");
    EXPECT_EQ(read["to"][0]["address"], "jörg@x.example");
    EXPECT_EQ(read["envelope"]["parameters"]["SMTPUTF8"], true);
}

TEST_F(Content, a_domain_of_any_script_travels_in_ascii_and_needs_no_special_server)
{
    server.emplace(Json{{"kind", "scripted"}, {"utf8", false}, {"raw", true}});
    const Json read = read_back(message_to({"ann@münchen.example"}));
    EXPECT_EQ(read["envelope"]["to"], Json({"ann@xn--mnchen-3ya.example"}));
    EXPECT_NE(testing::from_base64(read["raw"].get<std::string>()).find("xn--mnchen-3ya"),
              std::string::npos);
}

TEST_F(Content, a_message_of_25_megabytes_arrives)
{
    std::string content(std::size_t{25} << 20, '\0');
    for (std::size_t i = 0; i < content.size(); ++i) {
        content[i] = static_cast<char>(i * 2654435761U >> 13U);
    }
    mail::Message message = message_to({"ann@x.example"});
    message.attachments = {{"big.bin", "application/octet-stream", content}};
    server.emplace(Json{{"size", 40'000'000}});
    const Json read = read_back(std::move(message));
    const std::string arrived =
        testing::from_base64(read["attachments"][0]["content"].get<std::string>());
    EXPECT_TRUE(arrived == content);
    EXPECT_EQ(read["envelope"]["parameters"].contains("SIZE"), true);
}

} // namespace
} // namespace sagabox::transport
