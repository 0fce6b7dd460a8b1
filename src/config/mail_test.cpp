#include "config/config_fixture.hpp"
#include "core/mail.hpp"

#include <gmock/gmock.h>

namespace sagabox::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string smtp = R"({ name = "main", smtp { host = "mail.example" } })";
const std::string http =
    R"({ name = "api", http { url = "https://mail.example/send", body = """{"to": {to}, "subject": "{subject}"}""" } })";

std::string email(const std::string& providers, const std::string& more = "")
{
    return "email { from = \"Shop <shop@shop.example>\"\n" + more + "\nproviders = [\n" +
           providers + "\n] }";
}

TEST(EmailSettings, are_absent_where_the_file_has_no_such_section)
{
    const Settings settings = settings_in("");
    EXPECT_FALSE(settings.mail);
    EXPECT_EQ(settings.plan->mail, nullptr);
    EXPECT_EQ(settings.plan->destination("email"), nullptr);
}

TEST(EmailSettings, make_a_destination_that_sends_mail)
{
    const Settings settings = settings_in(email(smtp + ", " + http));
    const core::Destination* destination = settings.plan->destination("email");
    ASSERT_NE(destination, nullptr);
    EXPECT_EQ(destination->means, core::Means::mail);
    EXPECT_EQ(destination->routes.size(), 1U);
    ASSERT_EQ(settings.plan->mail->providers.size(), 2U);
    EXPECT_EQ(settings.plan->mail->providers[0].name, "main");
    EXPECT_EQ(settings.plan->mail->providers[1].name, "api");
}

TEST(EmailSettings, have_the_documented_defaults)
{
    const Settings settings = settings_in(email(smtp));
    const core::MailPlan& plan = *settings.plan->mail;
    EXPECT_EQ(plan.max_retries, 5);
    EXPECT_EQ(plan.backoff.kind, core::BackoffKind::linear);
    EXPECT_EQ(plan.backoff.base, std::chrono::seconds(30));
    EXPECT_EQ(plan.breaker_failures, 5);
    EXPECT_EQ(settings.mail->retention, std::chrono::hours(7 * 24));
    EXPECT_FALSE(settings.mail->failed_retention);
    EXPECT_THAT(settings.mail->document_types, IsEmpty());
    EXPECT_THAT(settings.mail->attachment_types, ::testing::Contains("application/pdf"));
    EXPECT_EQ(settings.mail->max_total_bytes, std::int64_t{25} << 20);
}

TEST(EmailSettings, choose_the_port_by_the_security)
{
    const auto port = [](const std::string& security) {
        const Settings settings = settings_in(
            email("{ name = a, smtp { host = localhost, security = " + security + " } }"));
        return std::get<core::SmtpProvider>(settings.plan->mail->providers[0].how).port;
    };
    EXPECT_EQ(port("starttls"), 587);
    EXPECT_EQ(port("tls"), 465);
    EXPECT_EQ(port("none"), 25);
}

TEST(EmailSettings, read_sizes_with_units)
{
    const Settings settings = settings_in(
        email(smtp, "maxAttachmentSize = 512 KiB, maxTotalSize = 2MB, memory = 64 MiB"));
    EXPECT_EQ(settings.mail->max_attachment_bytes, 512 * 1024);
    EXPECT_EQ(settings.mail->max_total_bytes, 2'000'000);
    EXPECT_EQ(settings.mail->memory, std::int64_t{64} << 20);
    EXPECT_THAT(problems_in(email(smtp, "memory = plenty")), HasSubstr("is not a size"));
    EXPECT_THAT(problems_in(email(smtp, "memory = 1 KiB")), HasSubstr("out of range"));
}

TEST(EmailSettings, show_a_provider_without_its_secrets)
{
    const Settings settings = settings_in(email(
        R"({ name = a, smtp { host = mail.example, user = u, password = "s3cret-word" } },
           { name = b, http { url = "https://mail.example/send?key=hidden-one", body = """{"to": {to}}""" } })"));
    EXPECT_EQ(settings.plan->mail->providers[0].shown_url, "smtp://mail.example:587");
    EXPECT_THAT(settings.plan->mail->providers[1].shown_url, Not(HasSubstr("hidden-one")));
    EXPECT_THAT(settings.secrets, ::testing::IsSupersetOf({"s3cret-word", "hidden-one"}));
}

TEST(EmailSettings, take_a_password_from_the_environment_before_the_file)
{
    const Variable variable("SAGABOX_EMAIL_MAIN_2_PASSWORD", "from-the-environment");
    const Settings settings = settings_in(email(
        R"({ name = "main-2", smtp { host = mail.example, user = u, password = "in-the-file" } })"));
    EXPECT_EQ(std::get<core::SmtpProvider>(settings.plan->mail->providers[0].how).password,
              "from-the-environment");
    EXPECT_THAT(settings.secrets, ::testing::Contains("from-the-environment"));
}

TEST(EmailSettings, want_a_provider_that_is_one_thing)
{
    EXPECT_THAT(problems_in("email { from = \"a@b.example\" }"),
                HasSubstr("at least one provider"));
    EXPECT_THAT(problems_in(email("{ name = a }")), HasSubstr("smtp { … } or http { … }"));
    EXPECT_THAT(problems_in(email("{ name = a, smtp { host = x }, http { url = \"http://x/\", "
                                  "body = \"{}\" } }")),
                HasSubstr("either smtp or http"));
    EXPECT_THAT(problems_in(email(smtp + "," + smtp)), HasSubstr("two providers are called"));
    EXPECT_THAT(problems_in(email("{ smtp { host = x } }")), HasSubstr("give the provider a name"));
    EXPECT_THAT(problems_in(email("{ name = a, smtp {} }")), HasSubstr("name the mail server"));
}

TEST(EmailSettings, refuse_a_password_that_would_cross_the_network_unprotected)
{
    const std::string open = "security = none, user = u, password = abcd";
    EXPECT_THAT(problems_in(email("{ name = a, smtp { host = mail.example, " + open + " } }")),
                HasSubstr("unprotected"));
    EXPECT_EQ(problems_in(email("{ name = a, smtp { host = \"127.0.0.1\", " + open + " } }")), "");
}

TEST(EmailSettings, refuse_a_body_that_nothing_fills)
{
    EXPECT_THAT(problems_in(email(
                    R"({ name = a, http { url = "http://x/", body = """{"to": {whom}}""" } })")),
                HasSubstr("nothing fills {whom}"));
    EXPECT_THAT(problems_in(email(R"({ name = a, http { url = "http://x/", body = "{" } })")),
                HasSubstr("no JSON body"));
    EXPECT_THAT(problems_in(email(R"({ name = a, http { url = "http://x/{to}", body = "{}" } })")),
                HasSubstr("no placeholders"));
}

TEST(EmailSettings, refuse_a_sender_that_is_no_address)
{
    for (const char* bad : {"shop", "@shop.example", "a b@shop.example", "Shop <shop>"}) {
        EXPECT_THAT(problems_in("email { from = \"" + std::string(bad) + "\", providers = [" +
                                smtp + "] }"),
                    HasSubstr("not an address"))
            << bad;
    }
}

TEST(EmailSettings, keep_the_name_of_their_destination_to_themselves)
{
    const std::string route = "outbox.http.routes.email { url = \"http://x/\" }\n";
    EXPECT_EQ(problems_in(route), "");
    EXPECT_THAT(problems_in(route + email(smtp)), HasSubstr("call the route something else"));
}

TEST(EmailSettings, let_mail_stand_in_a_fan_out)
{
    const std::string fanout = "outbox.http.fanout.OrderShipped = [email]\n";
    const Settings settings = settings_in(fanout + email(smtp));
    EXPECT_THAT(settings.plan->fanouts.at("OrderShipped"), ElementsAre("email"));
    EXPECT_THAT(problems_in(fanout), HasSubstr("add the section email"));
}

} // namespace
} // namespace sagabox::config
