#include "core/mail_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::core {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Stage = MailAnswer::Stage;

StepResult recorded(const MailAnswer& answer, const MailProvider& provider = smtp_provider("one"),
                    Mailing mailing = {})
{
    mailing.message = 5;
    mailing.provider = provider.name;
    return record_mail(mailing, provider, StepResult{}, answer, test_now, std::chrono::hours{1});
}

std::string text_of(const json::Value& value, std::string_view name)
{
    const json::Value* found = value.find(name);
    return found == nullptr || found->as_string() == nullptr ? "(none)" : *found->as_string();
}

std::string fault_of(const StepResult& row)
{
    return text_of(*row.response, "fault");
}

std::string states_of(const StepResult& row)
{
    std::string out;
    for (const json::Value& one : *row.response->find("recipients")->as_array()) {
        out += (out.empty() ? "" : " ") + text_of(one, "state");
    }
    return out;
}

struct Told {
    MailAnswer answer;
    Outcome outcome;
    std::string fault;
    std::string states;
    Health health;
};

class SmtpAnswers : public ::testing::TestWithParam<Told> {};

TEST_P(SmtpAnswers, are_read_by_whose_fault_they_tell_of)
{
    const Told& told = GetParam();
    const StepResult row = recorded(told.answer);
    EXPECT_EQ(row.outcome, told.outcome) << row.error;
    EXPECT_EQ(fault_of(row), told.fault) << row.error;
    EXPECT_EQ(states_of(row), told.states) << row.error;
    EXPECT_EQ(provider_health(row), told.health) << row.error;
    EXPECT_EQ(row.error.empty(), told.outcome == Outcome::succeeded);
    EXPECT_EQ(row.published_at, test_now);
}

INSTANTIATE_TEST_SUITE_P(
    All, SmtpAnswers,
    ::testing::Values(
        Told{dotted({{"a@x", 250}}, 250), Outcome::succeeded, "none", "accepted", Health::good},
        Told{dotted({{"a@x", 250}}, 0), Outcome::unknown, "none", "unknown", Health::bad},
        Told{dotted({{"a@x", 250}}, 451), Outcome::failed, "provider", "deferred", Health::bad},
        Told{dotted({{"a@x", 250}}, 554), Outcome::rejected, "message", "refused", Health::good},
        Told{dotted({{"a@x", 250}}, 552), Outcome::failed, "size", "deferred", Health::good},
        Told{dotted({{"a@x", 250}, {"b@x", 550}}, 250), Outcome::rejected, "recipients",
             "accepted refused", Health::good},
        Told{dotted({{"a@x", 250}, {"b@x", 450}}, 250), Outcome::failed, "recipients",
             "accepted deferred", Health::good},
        Told{dotted({{"a@x", 250}, {"b@x", 552}}, 250), Outcome::failed, "recipients",
             "accepted deferred", Health::good},
        Told{dotted({{"a@x", 250}, {"b@x", 550}}, 0), Outcome::unknown, "recipients",
             "unknown refused", Health::bad},
        Told{broken_at(Stage::connect, 0), Outcome::failed, "provider", "deferred", Health::bad},
        Told{broken_at(Stage::hello, 554), Outcome::failed, "provider", "deferred", Health::bad},
        Told{broken_at(Stage::auth, 535), Outcome::failed, "provider", "deferred", Health::bad},
        Told{broken_at(Stage::sender, 550), Outcome::failed, "provider", "deferred", Health::bad},
        Told{broken_at(Stage::sender, 552), Outcome::failed, "size", "deferred", Health::good},
        Told{broken_at(Stage::data, 0), Outcome::failed, "provider", "deferred", Health::bad},
        Told{broken_at(Stage::data, 421), Outcome::failed, "provider", "deferred", Health::bad},
        Told{broken_at(Stage::data, 451), Outcome::failed, "provider", "deferred", Health::bad},
        Told{broken_at(Stage::data, 554), Outcome::rejected, "message", "refused", Health::good},
        Told{broken_at(Stage::rcpt, 0), Outcome::failed, "provider", "deferred", Health::bad},
        Told{broken_at(Stage::nothing, 0), Outcome::rejected, "message", "refused",
             Health::silent}));

TEST(MailRecord, tells_recipients_that_were_all_refused_from_a_provider_that_broke_off)
{
    MailAnswer answer = broken_at(Stage::rcpt, 550);
    answer.recipients = {{"a@x", reply(550)}, {"b@x", reply(551)}};
    EXPECT_EQ(recorded(answer).outcome, Outcome::rejected);
    answer.recipients[1].reply = reply(450);
    EXPECT_EQ(recorded(answer).outcome, Outcome::failed);
    EXPECT_EQ(fault_of(recorded(answer)), "recipients");
    answer.recipients[1].reply = reply(421);
    EXPECT_EQ(fault_of(recorded(answer)), "provider");
    EXPECT_EQ(states_of(recorded(answer)), "refused deferred");
}

TEST(MailRecord, says_in_plain_words_who_was_refused)
{
    const StepResult row = recorded(dotted({{"a@x", 250}, {"b@x", 550}, {"c@x", 250}}, 250));
    EXPECT_EQ(row.error, "1 of 3 recipients was refused: b@x: 550 words");
    const StepResult gone = recorded(broken_at(Stage::connect, 0));
    EXPECT_THAT(gone.error, HasSubstr("one: no connection"));
}

TEST(MailRecord, counts_those_who_were_settled_before)
{
    Mailing mailing;
    mailing.accepted = {"a@x"};
    mailing.refused = {"b@x"};
    const StepResult row = recorded(dotted({{"c@x", 250}}, 250), smtp_provider("one"), mailing);
    EXPECT_EQ(row.outcome, Outcome::rejected);
    EXPECT_EQ(row.error, "1 of 3 recipients was refused: b@x");
}

TEST(MailRecord, keeps_what_the_provider_said_and_who_was_tried)
{
    const StepResult row = recorded(dotted({{"a@x", 250}}, 250));
    EXPECT_EQ(json::write(row.request), R"({"message":5,"provider":"one","recipients":["a@x"]})");
    EXPECT_EQ(text_of(*row.response, "stage"), "final_dot");
    EXPECT_EQ(text_of(*row.response, "reply"), "250 words");
    EXPECT_EQ(row.response_status, 250);
}

TEST(MailRecord, is_fit_for_jsonb_whatever_a_server_says)
{
    MailAnswer answer = dotted({{"a@x", 250}}, 250);
    answer.reply.text = std::string("\0\xff ok", 5);
    answer.recipients[0].address = "a\xff@x";
    const StepResult row = recorded(answer);
    EXPECT_TRUE(json::parse(json::write(*row.response)));
    EXPECT_TRUE(json::parse(json::write(row.request)));
}

Answer http(int status, std::string body = "{}", Headers headers = {})
{
    Answer answer;
    answer.delivery = Answer::Delivery::answered;
    answer.status = status;
    answer.body = std::move(body);
    answer.headers = std::move(headers);
    return answer;
}

MailAnswer by_http(Answer answer, int verdict)
{
    MailAnswer out;
    out.stage = Stage::http;
    out.recipients.push_back({"a@x", verdict == 0 ? SmtpReply{} : reply(verdict)});
    out.http = std::move(answer);
    return out;
}

TEST(MailRecord, reads_http_statuses_by_whose_fault_they_tell_of)
{
    const struct {
        int status;
        Outcome outcome;
        std::string fault;
    } all[] = {{200, Outcome::succeeded, "none"},   {302, Outcome::failed, "provider"},
               {400, Outcome::rejected, "message"}, {401, Outcome::failed, "provider"},
               {403, Outcome::failed, "provider"},  {404, Outcome::failed, "provider"},
               {413, Outcome::failed, "size"},      {422, Outcome::rejected, "message"},
               {429, Outcome::failed, "provider"},  {500, Outcome::failed, "provider"},
               {502, Outcome::unknown, "none"},     {503, Outcome::failed, "provider"}};
    for (const auto& one : all) {
        const StepResult row =
            recorded(by_http(http(one.status), one.status == 200 ? 250 : 0), http_provider("api"));
        EXPECT_EQ(row.outcome, one.outcome) << one.status << row.error;
        EXPECT_EQ(fault_of(row), one.fault) << one.status;
        EXPECT_EQ(row.response_status, one.status);
    }
}

TEST(MailRecord, takes_a_call_that_never_left_for_a_fault_and_one_without_answer_for_unknown)
{
    Answer answer;
    answer.delivery = Answer::Delivery::not_sent;
    answer.error = "refused";
    EXPECT_EQ(fault_of(recorded(by_http(answer, 0), http_provider("api"))), "provider");
    answer.delivery = Answer::Delivery::unanswered;
    const StepResult row = recorded(by_http(answer, 0), http_provider("api"));
    EXPECT_EQ(row.outcome, Outcome::unknown);
    EXPECT_EQ(states_of(row), "unknown");
}

TEST(MailRecord, reads_each_recipients_verdict_in_an_answer_that_succeeded)
{
    EXPECT_EQ(recorded(by_http(http(202), 550), http_provider("api")).outcome, Outcome::rejected);
    EXPECT_EQ(recorded(by_http(http(202), 450), http_provider("api")).outcome, Outcome::failed);
}

TEST(MailRecord, keeps_an_http_providers_answer_and_its_wish_for_a_pause)
{
    const StepResult row = recorded(
        by_http(http(429, R"({"why": "slow"})", {{"Retry-After", "7"}}), 0), http_provider("api"));
    EXPECT_EQ(row.retry_after, std::chrono::seconds{7});
    EXPECT_EQ(text_of(*row.response->find("answer"), "why"), "slow");
}

TEST(MailRecord, lets_a_providers_own_reading_of_statuses_win)
{
    MailProvider provider = http_provider("api");
    std::get<HttpMailProvider>(provider.how).classify.success = {{409, 409}};
    EXPECT_EQ(recorded(by_http(http(409), 250), provider).outcome, Outcome::succeeded);
}

} // namespace
} // namespace sagabox::core
