#include "tests/store/mail_fixture.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace sagabox::store {
namespace {

constexpr std::size_t cases_in_the_suite = 164;

std::filesystem::path suite_file()
{
    const char* folder = std::getenv("SAGABOX_COMPLIANCE_DIR");
    return std::filesystem::path(folder != nullptr ? folder
                                                   : SAGABOX_SOURCE_DIR "/../shared/compliance") /
           "email-addresses.json";
}

/// What the rule beside `email_address_fault` makes of the diagnoses that are neither an error nor
/// in order.
const std::map<std::string, bool> accepted_by_the_rule{
    {"ISEMAIL_DNSWARN_NO_MX_RECORD", true}, // nobody is asked whether a domain exists
    {"ISEMAIL_DNSWARN_NO_RECORD", true},
    {"ISEMAIL_RFC5321_ADDRESSLITERAL", true},
    {"ISEMAIL_RFC5321_QUOTEDSTRING", true},
    {"ISEMAIL_RFC5321_TLD", true},
    {"ISEMAIL_RFC5321_TLDNUMERIC", false}, // would be taken for an IP address
    {"ISEMAIL_RFC5321_IPV6DEPRECATED", false},
    {"ISEMAIL_CFWS_COMMENT", false}, // comments, folding white space, obsolete forms
    {"ISEMAIL_CFWS_FWS", false},
    {"ISEMAIL_DEPREC_CFWS_NEAR_AT", false},
    {"ISEMAIL_DEPREC_COMMENT", false},
    {"ISEMAIL_DEPREC_CTEXT", false},
    {"ISEMAIL_DEPREC_FWS", false},
    {"ISEMAIL_DEPREC_LOCALPART", false},
    {"ISEMAIL_DEPREC_QP", false},
    {"ISEMAIL_DEPREC_QTEXT", false},
    {"ISEMAIL_RFC5322_DOMAIN", false}, // what RFC 5322 writes and RFC 5321 can't send
    {"ISEMAIL_RFC5322_DOMAINLITERAL", false},
    {"ISEMAIL_RFC5322_DOMLIT_OBSDTEXT", false},
    {"ISEMAIL_RFC5322_IPV6_2X2XCOLON", false},
    {"ISEMAIL_RFC5322_IPV6_BADCHAR", false},
    {"ISEMAIL_RFC5322_IPV6_COLONEND", false},
    {"ISEMAIL_RFC5322_IPV6_COLONSTRT", false},
    {"ISEMAIL_RFC5322_IPV6_GRPCOUNT", false},
    {"ISEMAIL_RFC5322_IPV6_MAXGRPS", false},
    {"ISEMAIL_RFC5322_DOMAIN_TOOLONG", false}, // too long
    {"ISEMAIL_RFC5322_LABEL_TOOLONG", false},
    {"ISEMAIL_RFC5322_LOCAL_TOOLONG", false},
    {"ISEMAIL_RFC5322_TOOLONG", false},
};

// Our parser turns U+0000 into U+FFFD, but some addresses hold U+0000 itself. In between, a
// character of the private use area stands for it.
constexpr std::string_view stand_in = "\xEF\xA3\xB7";

std::string replace_all(std::string text, std::string_view what, std::string_view by)
{
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
    return text;
}

class MailAddressTest : public MailTest {
protected:
    /// Empty: accepted.
    std::string fault_of(const std::string& address)
    {
        Letter letter;
        letter.set("to", replace_all(json::quote(address), stand_in, "\\u0000"));
        const std::vector<MailFault> found = accept(letter).faults;
        if (found.size() > 1 || (found.size() == 1 && found[0].field != "to[0]")) {
            throw std::runtime_error("not one fault of to[0], but of " + found[0].field);
        }
        return found.empty() ? "" : found[0].text;
    }
    void expect_accepted(const std::string& address)
    {
        EXPECT_EQ(fault_of(address), "") << address;
    }
    void expect_refused(const std::string& address) { EXPECT_NE(fault_of(address), "") << address; }
};

TEST_F(MailAddressTest, decides_each_address_of_the_compliance_suite_as_the_written_rule_has_it)
{
    std::ifstream file(suite_file());
    if (!file) {
        GTEST_SKIP() << "the suite of e-mail addresses is not at " << suite_file()
                     << "; set SAGABOX_COMPLIANCE_DIR to the folder that holds it";
    }
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ASSERT_EQ(text.find(stand_in), text.npos);
    const auto suite = json::parse(replace_all(text, "\\u0000", stand_in));
    ASSERT_TRUE(suite) << suite.error().text();
    const json::Array& tests = *suite->find("tests")->as_array();
    for (const json::Value& test : tests) {
        const std::string& address = *test.find("address")->as_string();
        const std::string& category = *test.find("category")->as_string();
        const std::string& diagnosis = *test.find("diagnosis")->as_string();
        bool wanted = category == "ISEMAIL_VALID_CATEGORY";
        if (!wanted && category != "ISEMAIL_ERR") {
            ASSERT_TRUE(accepted_by_the_rule.contains(diagnosis)) << diagnosis;
            wanted = accepted_by_the_rule.at(diagnosis);
        }
        // An empty string is refused before its grammar is looked at, like any other header field.
        const std::string fault = fault_of(address);
        EXPECT_EQ(fault.empty(), wanted)
            << json::quote(address) << " " << diagnosis << ": " << fault;
    }
    EXPECT_EQ(tests.size(), cases_in_the_suite);
    std::cout << "e-mail addresses: " << tests.size() << " cases run\n";
}

TEST_F(MailAddressTest, takes_a_display_name_that_is_quoted_where_it_must_be)
{
    expect_accepted("Ann <ann@x.example>");
    expect_accepted("Zoë Müller-Lüdenscheidt <zoe@x.example>");
    expect_accepted("J. R. O'Neil <jr@x.example>");
    expect_accepted("<ann@x.example>");
    expect_accepted(R"("Miller, Ann" <ann@x.example>)");
    expect_accepted(R"("say \"hi\" <now>" <ann@x.example>)");
    expect_refused("Miller, Ann <ann@x.example>");
    expect_refused("ann@x.example <ann@x.example>");
    expect_refused("Ann (Sales) <ann@x.example>");
    expect_refused(R"("Ann <ann@x.example>)");
    expect_refused("Ann <ann@x.example> <bob@x.example>");
    expect_refused("Ann <ann@x.example>, Bob <bob@x.example>");
    expect_refused("Ann < ann@x.example >");
    expect_refused("Ann <>");
}

TEST_F(MailAddressTest, takes_what_people_really_have_and_nothing_that_hides_a_second_address)
{
    expect_accepted(R"("a b"@x.example)");
    expect_accepted(R"("a@b"@x.example)");
    expect_accepted("o'neil@x.example");
    expect_accepted("ann+orders@x.example");
    expect_accepted("Zoë@müller.example");
    expect_accepted("δοκιμή@παράδειγμα.δοκιμή");
    expect_accepted("ann@[192.0.2.1]");
    expect_accepted("ann@[IPv6:2001:db8::1]");
    expect_refused(".a@x.example");
    expect_refused("a..b@x.example");
    expect_refused("a@x,b@y");
    expect_refused("a@x b@y");
    expect_refused("a@b@c");
    expect_refused("a\xC2\xA0@x.example");       // no-break space
    expect_refused("a\xE2\x80\x8B@x.example");   // zero width space
    expect_refused("ann@x\xE2\x80\xAE.example"); // turns the direction of writing
    expect_refused("ann@[192.0.2.256]");
    expect_refused("ann@[IPv6:2001:db8::1/64]");
    expect_refused("ann@x_y.example");
}

TEST_F(MailAddressTest, counts_octets_and_not_letters)
{
    expect_accepted(std::string(64, 'a') + "@x.example");
    expect_refused(std::string(65, 'a') + "@x.example");
    std::string umlauts;
    for (int i = 0; i < 33; ++i) {
        umlauts += "ä";
    }
    expect_refused(umlauts + "@x.example");
    expect_refused("a@" + std::string(64, 'x') + ".example");
}

} // namespace
} // namespace sagabox::store
