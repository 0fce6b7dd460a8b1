// TLS, redaction, network rules and the log, as a file says them.
#include "config/config_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::config {
namespace {

using ::testing::ElementsAre;

std::string with_route(const std::string& body)
{
    return "outbox.http.routes.a {\nurl = \"http://h/a\"\n" + body + "\n}";
}

const core::Route& route_of(const Settings& settings)
{
    return settings.plan->destination("a")->routes.front();
}

class TlsSettings : public ::testing::Test {
protected:
    std::string file(const std::string& name) { return folder_.write(name, "PEM"); }

private:
    Folder folder_;
};

TEST_F(TlsSettings, are_the_route_s_or_the_destination_s_and_the_revert_takes_them_over)
{
    const std::string ca = file("ca.pem");
    const std::string certificate = file("cert.pem");
    const std::string key = file("key.pem");
    const Settings settings = settings_in(with_route(
        "tls { caFile = \"" + ca + "\", certificateFile = \"" + certificate + "\", keyFile = \"" +
        key + "\", keyPassword = open-sesame }\nrevert { url = \"http://h/b\" }"));
    const core::Route& route = route_of(settings);
    ASSERT_NE(route.tls, nullptr);
    EXPECT_EQ(route.tls->ca_file, ca);
    EXPECT_EQ(route.tls->certificate_file, certificate);
    EXPECT_EQ(route.tls->key_file, key);
    EXPECT_EQ(route.tls->key_password, "open-sesame");
    EXPECT_EQ(route.revert->tls, route.tls);
    EXPECT_THAT(settings.secrets, ::testing::Contains("open-sesame"));
}

TEST_F(TlsSettings, want_certificate_and_key_together_and_files_that_can_be_read)
{
    expect_problem(with_route("tls { certificateFile = \"" + file("cert.pem") + "\" }"),
                   "shop.conf:3: outbox.http.routes.a.tls.keyFile", "give both, or neither");
    expect_problem(with_route("tls { caFile = \"/no/such/file.pem\" }"),
                   "shop.conf:3: outbox.http.routes.a.tls.caFile",
                   "the file /no/such/file.pem can't be read");
}

TEST(RedactSettings, are_paths_for_each_direction)
{
    const Settings settings = settings_in(
        with_route("redact { request = [\"$.card\"], response = [\"$.token\", \"$..iban\"] }\n"
                   "revert { url = \"http://h/b\", redact { response = [\"$.x\"] } }"));
    const core::Route& route = route_of(settings);
    EXPECT_EQ(route.redact.request.at(0).text(), "$.card");
    EXPECT_EQ(route.redact.response.at(1).text(), "$..iban");
    EXPECT_EQ(route.revert->redact.response.at(0).text(), "$.x");
    EXPECT_TRUE(route.revert->redact.request.empty());
    expect_problem(with_route("redact { request = [\"$.[\"] }"),
                   "shop.conf:3: outbox.http.routes.a.redact.request", "not a JSONPath");
    expect_problem(with_route("redact { request = \"$.card\" }"),
                   "shop.conf:3: outbox.http.routes.a.redact.request", "a list belongs here");
}

TEST(RedactSettings, may_hide_nothing_that_an_undo_is_built_from)
{
    expect_problem(
        with_route("redact { response = [\"$.payment\"] }\n"
                   "revert { url = \"http://h/{id}\", extract { id = \"$.payment.id\" } }"),
        "shop.conf:4: outbox.http.routes.a.revert.extract.id",
        "may not be kept, since redact.response has $.payment");
    settings_in(
        with_route("redact { request = [\"$.payment\"] }\n"
                   "revert { url = \"http://h/{id}\", extract { id = \"$.payment.id\" } }"));
}

TEST(RedactSettings, may_hide_nothing_that_a_later_route_is_chosen_by)
{
    expect_problem(
        "outbox.http.fanout.Made = [a, b]\n"
        "outbox.http.routes.a { url = \"http://h/a\", redact { response = [\"$.riskScore\"] } }\n"
        "outbox.http.routes.b {\n url = \"http://h/b\"\n condition { jsonPath = \"$.riskScore\", "
        "operator = lt, value = 50, previousDestination = a }\n}",
        "shop.conf:5: outbox.http.routes.b.condition.jsonPath",
        "may not be kept, since redact.response of \"a\" has $.riskScore");
}

TEST(NetworkSettings, are_addresses_blocks_and_names)
{
    const Settings settings =
        settings_in("network { deny = [private, \"169.254.169.254\"], allow = [\"10.0.0.0/8\"] }");
    EXPECT_THAT(settings.network.deny, ElementsAre("private", "169.254.169.254"));
    EXPECT_THAT(settings.network.allow, ElementsAre("10.0.0.0/8"));
    expect_problem("network { deny = [internal] }", "shop.conf:1: network.deny",
                   "\"internal\" is neither an address, nor a block");
}

TEST(LogSettings, have_a_format_a_level_and_levels_of_parts)
{
    const Settings settings = settings_in(
        "log { format = json, level = warning, levels { saga = debug, http = error } }");
    EXPECT_EQ(settings.log.format, log::Format::json);
    EXPECT_EQ(settings.log.level, log::Level::warning);
    EXPECT_EQ(settings.log.parts.at("saga"), log::Level::debug);
    EXPECT_EQ(settings.log.parts.at("http"), log::Level::error);
    EXPECT_EQ(settings.log.parts.size(), 2U);
    EXPECT_EQ(settings_in("").log.level, log::Level::info);
    expect_problem("log.levels.sagas = debug", "shop.conf:1: log.levels.sagas",
                   "Did you mean \"saga\"?");
    expect_problem("log.level = loud", "shop.conf:1: log.level", "debug, info, warning, error");
}

} // namespace
} // namespace sagabox::config
