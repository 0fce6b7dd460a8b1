#include "tests/store/mail_fixture.hpp"

#include <algorithm>
#include <chrono>

namespace sagabox::store {
namespace {

using namespace std::string_literals;
using Fields = std::vector<std::string>;

const std::string png = "\x89PNG\r\n\x1a\n"s;

class MailIntakeTest : public MailTest {
protected:
    /// What is wrong with these bytes as an attachment of this type; empty: nothing.
    std::string fault_of(const std::string& type, std::string_view bytes)
    {
        Letter letter;
        letter.attach("file", type, bytes);
        const std::vector<std::string> found = faults(letter);
        return found.empty() ? "" : found.front();
    }
};

TEST_F(MailIntakeTest, accepts_a_message_and_stores_it_with_its_attachments_and_its_event)
{
    Letter letter;
    letter.set("cc", R"(["Bob <bob@x.example>"])").text("bcc", "eve@x.example");
    letter.text("replyTo", "desk@shop.example").text("html", "<p>Hi</p>");
    letter.text("correlationId", "order-7").attach("bill.pdf", "application/pdf", "%PDF-1.7");
    const MailIntake intake = accept(letter);
    ASSERT_TRUE(intake.faults.empty());
    EXPECT_EQ(intake.status, "NOT_YET_SENT");
    EXPECT_EQ(intake.correlation_id, "order-7");
    EXPECT_FALSE(intake.repeated);
    EXPECT_EQ(sql.rows("select aggregate_id, event_type, payloads, email_id, status "
                       "from outbox_events"),
              (std::vector<testing::Sql::Row>{
                  {"email:1", "email", R"({"email": {"message": 1}})", "1", "PENDING"}}));
    EXPECT_EQ(sql.one("select message_id ~ '^<[0-9a-f-]{36}@shop\\.example>$' "
                      "from email_messages"),
              "t");
    EXPECT_EQ(sql.one("select convert_from(content, 'UTF8') from email_attachments"), "%PDF-1.7");
}

TEST_F(MailIntakeTest, gives_a_message_an_id_for_its_correlation_where_none_came_with_it)
{
    EXPECT_EQ(accept({}).correlation_id.size(), 36U);
    Letter with_null;
    with_null.set("correlationId", "null").set("cc", "null").set("attachments", "null");
    EXPECT_EQ(accept(with_null).correlation_id.size(), 36U);
}

TEST_F(MailIntakeTest, lists_every_fault_at_once_in_the_order_of_the_fields_and_stores_nothing)
{
    Letter letter;
    letter.set("to", R"(["ann@x.example", "bob", 7])").set("cc", "{}").text("replyTo", "nobody");
    letter.drop("subject").drop("text").text("documentType", "poem").set("zeta", "1");
    letter.set("Alpha", "1").text("idempotencyKey", "").attach("a/b", "image/gif", "");
    letter.attach_encoded("x.pdf", "application/pdf", "%%%");
    EXPECT_EQ(faulty(letter),
              (Fields{"Alpha", "zeta", "to[1]", "to[2]", "cc", "replyTo", "subject", "text",
                      "documentType", "idempotencyKey", "attachments[0].fileName",
                      "attachments[0].contentType", "attachments[1].content"}));
    for (const char* table : {"email_messages", "email_attachments", "outbox_events"}) {
        EXPECT_EQ(count(table), "0") << table;
    }
}

TEST_F(MailIntakeTest, wants_somebody_to_send_to)
{
    EXPECT_EQ(faulty(Letter().set("to", "[]")), Fields{"to"});
    EXPECT_EQ(faulty(Letter().set("to", "[]").text("cc", "bob@x.example")), Fields{"to"});
    EXPECT_EQ(faulty(Letter().set("to", "null")), Fields{"to"});
    EXPECT_EQ(faulty(Letter().drop("to")), Fields{"to"});
    EXPECT_EQ(faulty(Letter().set("cc", "[]").set("bcc", "[]")), Fields{});
}

TEST_F(MailIntakeTest, counts_all_recipients_together)
{
    Letter letter;
    letter.set("to", R"(["a@x", "b@x"])").set("cc", R"(["c@x", "d@x"])").set("bcc", R"(["e@x"])");
    EXPECT_EQ(faulty(letter), Fields{});
    EXPECT_EQ(faulty(letter.set("bcc", R"(["e@x", "f@x"])")), Fields{"to"});
}

TEST_F(MailIntakeTest, wants_text_or_html)
{
    EXPECT_EQ(faulty(Letter().drop("text").text("html", "<p>Hi</p>")), Fields{});
    EXPECT_EQ(faulty(Letter().drop("text")), Fields{"text"});
    EXPECT_EQ(faulty(Letter().set("text", "[]")), Fields{"text"});
}

TEST_F(MailIntakeTest, lets_no_line_break_and_no_control_character_into_anything_that_is_a_header)
{
    const std::vector<std::string> bad{"\\r",     "\\n",     "\\r\\nBcc: eve@x.example",
                                       "\\u0000", "\\t",     "\\u001b",
                                       "\\u007f", "\\u0085", "\\u2028"};
    for (const std::string& c : bad) {
        const std::string broken = "\"a" + c + "b\"";
        const std::string address = "\"a" + c + "@x.example\"";
        const std::string name = "\"A" + c + " <a@x.example>\"";
        const std::vector<std::pair<std::string, std::string>> headers{
            {"subject", broken},        {"documentType", broken}, {"correlationId", broken},
            {"idempotencyKey", broken}, {"replyTo", address},     {"replyTo", name}};
        for (const auto& [field, value] : headers) {
            EXPECT_EQ(faulty(Letter().set(field, value)), Fields{field}) << value;
        }
        for (const std::string field : {"to", "cc", "bcc"}) {
            EXPECT_EQ(faulty(Letter().set(field, "[" + name + "]")), Fields{field + "[0]"}) << name;
        }
        const std::string attached =
            R"([{"content":"","fileName":)" + broken + R"(,"contentType":"text/plain)" + c + "\"}]";
        EXPECT_EQ(faulty(Letter().set("attachments", attached)),
                  (Fields{"attachments[0].fileName", "attachments[0].contentType"}))
            << c;
    }
    EXPECT_EQ(count("email_messages"), "0");
}

TEST_F(MailIntakeTest, says_so_where_only_the_text_holds_what_the_database_cannot)
{
    EXPECT_EQ(faults(Letter().set("text", R"("a\u0000b")")),
              Fields{": must not hold U+0000, nor half a surrogate pair"});
    // An escaped backslash in front is no escape.
    EXPECT_EQ(faults(Letter().set("text", R"("a\\u0000b")")), Fields{});
    EXPECT_EQ(faults(Letter().set("text", R"("line\r\nline\n")")), Fields{});
}

TEST_F(MailIntakeTest, keeps_to_the_document_types_that_are_listed)
{
    EXPECT_EQ(faults(Letter().text("documentType", "poem")),
              Fields{"documentType: is not allowed: letter, invoice"});
    MailRules any = rules();
    any.document_types.clear();
    publish(any);
    EXPECT_EQ(faults(Letter().text("documentType", "poem")), Fields{});
}

TEST_F(MailIntakeTest, goes_by_the_declared_type_and_by_the_bytes)
{
    MailRules wide = rules();
    wide.attachment_types = {
        "application/pdf",
        "image/png",
        "IMAGE/JPEG",
        "image/gif",
        "image/webp",
        "application/zip",
        "application/rtf",
        "text/plain",
        "text/csv",
        "application/xml",
        "application/json",
        "application/octet-stream",
        "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.oasis.opendocument.text"};
    publish(wide);
    const std::string docx =
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    const std::string odt = "application/vnd.oasis.opendocument.text";
    const std::string zip = "PK\x03\x04" + std::string(26, '\0');
    const std::vector<std::pair<std::string, std::string>> right{
        {"application/pdf", "%PDF-1.4"},
        {"image/png", png},
        {"image/jpeg", "\xff\xd8\xff\xe0"},
        {"image/gif", "GIF89a"},
        {"image/webp", "RIFF1234WEBPVP8 "},
        {"application/zip", zip},
        {"application/rtf", "{\\rtf1 hello}"},
        {"text/plain", "grüße"},
        {"text/plain; charset=utf-8", "hello"},
        {"text/csv", ""},
        {"application/xml", "\xEF\xBB\xBF  <?xml version='1.0'?>"},
        {"application/json", " {\"a\": 1}"},
        {"application/octet-stream", std::string("\0\1\2", 3)},
        {"application/msword", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
        {docx, zip + "[Content_Types].xml"},
        {odt, zip + "mimetype" + odt},
    };
    for (const auto& [type, bytes] : right) {
        EXPECT_EQ(fault_of(type, bytes), "") << type;
    }
    for (const auto& [type, bytes] : right) {
        // Nothing passes as a type whose first bytes are known, but what begins like it.
        for (const std::string claimed : {"application/pdf", "image/png", "image/jpeg", "image/gif",
                                          "image/webp", "application/rtf", "application/msword"}) {
            if (type != claimed) {
                EXPECT_NE(fault_of(claimed, bytes), "") << type << " as " << claimed;
            }
        }
    }
    EXPECT_NE(fault_of("text/plain", "a\0b"s), "");
    EXPECT_NE(fault_of("text/csv", "%PDF-1.4"), "");
    EXPECT_NE(fault_of("application/xml", "no markup"), "");
    EXPECT_NE(fault_of("application/json", "<p>"), "");
    EXPECT_NE(fault_of(docx, zip + "virus.exe"), "");
    EXPECT_NE(fault_of(odt, zip + "mimetypeapplication/zip"), "");
    EXPECT_NE(fault_of("application/octet-stream", "MZ\x90\0\3\0\0\0"s), "");
    EXPECT_NE(fault_of("text/html", "<p>"), "") << "is not listed";
    EXPECT_NE(fault_of("text/plain; name=x", "hello"), "");
    EXPECT_NE(fault_of("text", "hello"), "");
}

TEST_F(MailIntakeTest, takes_file_names_and_no_paths)
{
    const auto fault = [this](const std::string& name) {
        return faulty(Letter().attach(name, "text/plain", "hello"));
    };
    std::string longest;
    for (int i = 0; i < 255; ++i) {
        longest += "ß";
    }
    for (const std::string& name :
         {"Rechnung Müller.txt"s, "\"quoted\" 100%.txt"s, longest, "발표.txt"s}) {
        EXPECT_EQ(fault(name), Fields{}) << name;
    }
    for (const std::string& name : {""s, longest + "x", "a/b.txt"s, "a\\b.txt"s, "."s, ".."s,
                                    "txt.\xE2\x80\xAE"
                                    "fdp"s}) {
        EXPECT_EQ(fault(name), Fields{"attachments[0].fileName"}) << name;
    }
}

TEST_F(MailIntakeTest, refuses_broken_base64_and_takes_line_breaks_in_it)
{
    const auto fault = [this](const std::string& content) {
        return faults(Letter().attach_encoded("a.txt", "text/plain", content));
    };
    EXPECT_EQ(fault("aGVs\r\nbG8=\n"), Fields{});
    EXPECT_EQ(fault(""), Fields{});
    for (const std::string broken : {"aGVsbG8", "a", "====", "aGVs!G8=", "aGVsbG8=aGVs", "äöü="}) {
        EXPECT_EQ(fault(broken), Fields{"attachments[0].content: is no base64"}) << broken;
    }
    EXPECT_EQ(
        faulty(Letter().set("attachments", R"([{"fileName":"a","contentType":"text/plain"}])")),
        Fields{"attachments[0].content"});
    EXPECT_EQ(faulty(Letter().set("attachments", R"([7])")), Fields{"attachments[0]"});
    EXPECT_EQ(faulty(Letter().set("attachments", R"("x")")), Fields{"attachments"});
}

TEST_F(MailIntakeTest, counts_and_measures_attachments_alone_and_together)
{
    const std::string most(1'000, 'x');
    EXPECT_EQ(faulty(Letter().attach("a", "text/plain", most)), Fields{});
    EXPECT_EQ(
        faults(Letter().attach("a", "text/plain", most + "x")),
        Fields{"attachments[0].content: is too large: it has 1001 bytes, and 1000 are allowed"});
    EXPECT_EQ(faults(Letter().attach("a", "text/plain", std::string(100'000, 'x'))).front(),
              "attachments[0].content: is too large: 1000 bytes are allowed");

    Letter three;
    for (int i = 0; i < 3; ++i) {
        three.attach("a", "text/plain", "x");
    }
    EXPECT_EQ(faulty(three), Fields{});
    EXPECT_EQ(faulty(three.attach("a", "text/plain", "x")), Fields{"attachments"});

    Letter heavy;
    heavy.attach("a", "text/plain", most).attach("b", "text/plain", most);
    EXPECT_EQ(faulty(heavy.text("text", "x")), Fields{"attachments"});
    EXPECT_EQ(faulty(Letter().text("text", std::string(2'000, 'x'))), Fields{});
    EXPECT_EQ(faulty(Letter().text("text", std::string(2'001, 'x'))), Fields{"text"});
}

TEST_F(MailIntakeTest, looks_at_no_more_of_a_hostile_message_than_is_allowed)
{
    std::string recipients, keys, attachments;
    for (int i = 0; i < 200'000; ++i) {
        recipients += i == 0 ? "7" : ",7";
        keys += ",\"k" + std::to_string(i) + "\":1";
        attachments += i == 0 ? "1" : ",1";
    }
    const std::string message = "{\"to\":[" + recipients + "],\"subject\":\"" +
                                std::string(5'000'000, 'x') + "\",\"attachments\":[" + attachments +
                                "]" + keys + "}";
    const auto began = std::chrono::steady_clock::now();
    const std::vector<std::string> found = faults(message);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
    EXPECT_LT(found.size(), 50U);
    EXPECT_NE(std::find(found.begin(), found.end(),
                        "to: are too many with cc and bcc: 200000, and 5 are allowed"),
              found.end());

    std::string nasty = "\"";
    for (int i = 0; i < 480; ++i) {
        nasty += "\\\"";
    }
    for (const std::string& address :
         {nasty, nasty + "<a@x>", std::string(900, '<') + ">", std::string(900, '.') + "@x",
          "a@" + std::string(900, '-')}) {
        EXPECT_EQ(faulty(Letter().text("to", address)), Fields{"to[0]"});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
}

TEST_F(MailIntakeTest, answers_what_is_no_message_at_all_with_a_fault)
{
    for (const std::string message : {"", "{", "\xff", "[1,2", "{\"to\":\"\\ud800\"}"}) {
        const std::vector<std::string> found = faults(message);
        ASSERT_EQ(found.size(), 1U) << message;
        EXPECT_EQ(found[0].substr(0, 2), ": ") << found[0];
    }
    EXPECT_EQ(faults(std::string(200'000, '[')).size(), 1U);
    for (const std::string message : {"[]", "7", "null", "\"to\""}) {
        EXPECT_EQ(faults(message), Fields{": must be a JSON object"}) << message;
    }
}

TEST_F(MailIntakeTest, names_the_cure_where_no_relay_has_published_what_is_accepted)
{
    sql.exec("delete from email_rules");
    const Letter letter;
    const Result<MailIntake> refused =
        testing::run(context, accept_mail(*connection, letter.json(), Deadline::after(patience)));
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().text().find("sagabox migrate -c FILE"), std::string::npos)
        << refused.error().text();
}

TEST_F(MailIntakeTest, writes_rules_only_where_they_changed)
{
    const std::string before = sql.one("select xmin from email_rules");
    publish(rules());
    EXPECT_EQ(sql.one("select xmin from email_rules"), before);
    MailRules strict = rules();
    strict.max_recipients = 1;
    publish(strict);
    EXPECT_EQ(faulty(Letter().set("to", R"(["a@x", "b@x"])")), Fields{"to"});
    EXPECT_EQ(count("email_rules"), "1");
}

} // namespace
} // namespace sagabox::store
