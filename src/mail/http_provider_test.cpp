#include "mail/http_provider.hpp"

#include "json/value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sagabox::mail {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

core::HttpMailProvider provider(std::string_view body)
{
    core::HttpMailProvider p;
    p.url = "https://mail.example/send";
    p.body = core::BodyTemplate::parse(body).value();
    return p;
}

Message letter()
{
    Message message;
    message.to = {"Ann <ann@x.example>", "bob@x.example"};
    message.cc = {"cy@x.example"};
    message.bcc = {"dan@x.example"};
    message.subject = "Say \"hi\"";
    message.text = "one\ntwo";
    message.attachments = {{"a.bin", "application/octet-stream", std::string("\0\xff", 2)}};
    return message;
}

const std::vector<std::string> everybody{"ann@x.example", "bob@x.example", "cy@x.example",
                                         "dan@x.example"};

json::Value body_for(std::string_view text, const std::vector<std::string>& recipients,
                     const Message& message = letter())
{
    const Result<core::Request> request = http_request_for(
        message, "shop@x.example", recipients, provider(text), std::chrono::seconds(5), "key");
    EXPECT_TRUE(request) << (request ? "" : request.error().text());
    return request ? json::parse(*request->body).value() : json::Value();
}

std::string written(const json::Value& value)
{
    return json::write(value);
}

TEST(HttpProvider, fills_its_template_with_the_message)
{
    const json::Value body = body_for(R"({"to": {to}, "subject": "{subject}", "text": {text},
        "html": {html}, "from": "{from}", "files": {attachments}, "reply": "{replyTo}",
        "key": "{idempotencyKey}"})",
                                      everybody);
    EXPECT_EQ(written(*body.find("to")),
              R"([{"name":"Ann","email":"ann@x.example"},{"name":"","email":"bob@x.example"}])");
    EXPECT_EQ(*body.find("subject")->as_string(), "Say \"hi\"");
    EXPECT_EQ(*body.find("text")->as_string(), "one\ntwo");
    EXPECT_EQ(*body.find("html")->as_string(), "");
    EXPECT_EQ(*body.find("from")->as_string(), "shop@x.example");
    EXPECT_EQ(*body.find("reply")->as_string(), "");
    EXPECT_EQ(*body.find("key")->as_string(), "key");
    EXPECT_EQ(*body.find("files")->as_array()->at(0).find("content")->as_string(), "AP8=");
    EXPECT_EQ(*body.find("files")->as_array()->at(0).find("fileName")->as_string(), "a.bin");
}

TEST(HttpProvider, is_told_of_those_alone_who_are_still_to_get_it)
{
    constexpr std::string_view lists = R"([{to}, {cc}, {bcc}])";
    const auto shown = [&](const std::vector<std::string>& recipients) {
        std::string out;
        const json::Value body = body_for(lists, recipients);
        for (const json::Value& list : *body.as_array()) {
            out += out.empty() ? "" : " / ";
            for (const json::Value& one : *list.as_array()) {
                const std::string& email = *one.find("email")->as_string();
                out += email.substr(0, email.find('@')) + ' ';
            }
        }
        return out;
    };
    EXPECT_EQ(shown(everybody), "ann bob  / cy  / dan ");
    EXPECT_EQ(shown({"bob@x.example"}), "bob  /  / ");
    EXPECT_EQ(shown({"cy@x.example", "dan@x.example"}), "cy  /  / dan ") << "somebody is named";
    EXPECT_EQ(shown({"dan@x.example"}), "dan  /  / ");
}

TEST(HttpProvider, sends_json_under_one_key_that_no_header_replaces)
{
    core::HttpMailProvider p = provider("{text}");
    p.headers = {{"Authorization", "Bearer t"}, {"idempotency-key", "mine"}};
    const Result<core::Request> request = http_request_for(letter(), "shop@x.example", everybody, p,
                                                           std::chrono::seconds(5), "uuid:email");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->method, "POST");
    EXPECT_EQ(request->url, "https://mail.example/send");
    EXPECT_THAT(request->headers, ElementsAre(Pair("Idempotency-Key", "uuid:email"),
                                              Pair("Authorization", "Bearer t"),
                                              Pair("Content-Type", "application/json")));
}

TEST(HttpProvider, with_a_list_inside_a_string_is_a_fault)
{
    EXPECT_FALSE(http_request_for(letter(), "shop@x.example", everybody,
                                  provider(R"({"to": "{to}"})"), std::chrono::seconds(5), "key"));
}

core::Answer answered(int status, std::string body)
{
    core::Answer answer;
    answer.delivery = core::Answer::Delivery::answered;
    answer.status = status;
    answer.body = std::move(body);
    return answer;
}

std::vector<int> codes(const core::HttpMailProvider& p, core::Answer answer)
{
    std::vector<int> found;
    for (const auto& one : read_http_answer(p, everybody, std::move(answer)).recipients) {
        found.push_back(one.reply.code);
    }
    return found;
}

TEST(HttpAnswer, without_paths_is_the_same_for_all)
{
    EXPECT_THAT(codes(provider("{text}"), answered(202, "")), ElementsAre(250, 250, 250, 250));
    EXPECT_THAT(codes(provider("{text}"), answered(500, "")), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(codes(provider("{text}"), core::Answer()), ElementsAre(0, 0, 0, 0));
}

TEST(HttpAnswer, is_read_for_each_recipient_by_the_paths)
{
    core::HttpMailProvider p = provider("{text}");
    p.accepted = json::Path::compile("$.sent[*]").value();
    p.refused = json::Path::compile("$.bad[*].email").value();
    const auto answer = answered(
        200, R"({"sent": ["Ann@x.example", "cy@x.example"], "bad": [{"email": "dan@x.example"}]})");
    EXPECT_THAT(codes(p, answer), ElementsAre(250, 450, 250, 550));
}

TEST(HttpAnswer, may_name_the_refused_alone)
{
    core::HttpMailProvider p = provider("{text}");
    p.refused = json::Path::compile("$.bad").value();
    EXPECT_THAT(codes(p, answered(200, R"({"bad": ["bob@x.example"]})")),
                ElementsAre(250, 550, 250, 250));
    EXPECT_THAT(codes(p, answered(200, "OK")), ElementsAre(450, 450, 450, 450))
        << "an answer that can't be read names nobody";
}

} // namespace
} // namespace sagabox::mail
