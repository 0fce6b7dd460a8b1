#include "mail/address.hpp"

#include "mail/date.hpp"
#include "mail/domain.hpp"

#include <gtest/gtest.h>

namespace sagabox::mail {
namespace {

std::string read(std::string_view text)
{
    const Result<Address> address = read_address(text);
    return address ? address->name + "|" + address->bare : "fault: " + address.error().text();
}

TEST(Address, may_be_bare_or_have_a_name)
{
    EXPECT_EQ(read("ann@x.example"), "|ann@x.example");
    EXPECT_EQ(read("Ann Lee <ann@x.example>"), "Ann Lee|ann@x.example");
    EXPECT_EQ(read("\"Lee, \\\"A\\\" <x>\" <ann@x.example>"), "Lee, \"A\" <x>|ann@x.example");
    EXPECT_EQ(read("Jörg <joerg@x.example>"), "Jörg|joerg@x.example");
    EXPECT_EQ(read("<ann@x.example>"), "|ann@x.example");
}

TEST(Address, keeps_what_stands_before_the_last_at)
{
    EXPECT_EQ(read("\"a b@c\"@x.example"), "|\"a b@c\"@x.example");
    EXPECT_EQ(read("o'neil+tag@x.example"), "|o'neil+tag@x.example");
    EXPECT_EQ(read("jörg@x.example"), "|jörg@x.example");
    EXPECT_EQ(read("\"a>\"@x.example"), "|\"a>\"@x.example");
}

TEST(Address, has_its_domain_in_ascii)
{
    EXPECT_EQ(read("a@münchen.example"), "|a@xn--mnchen-3ya.example");
    EXPECT_EQ(read("a@MÜNCHEN.example"), "|a@xn--mnchen-3ya.example");
    EXPECT_EQ(read("a@straße.example"), "|a@xn--strae-oqa.example");
    EXPECT_EQ(read("a@[192.0.2.1]"), "|a@[192.0.2.1]");
    EXPECT_EQ(read("a@X.Example"), "|a@X.Example");
}

TEST(Address, that_is_none_is_a_fault)
{
    for (const char* text :
         {"", "ann", "@x", "ann@", "Ann <>", "a@b\r\nBcc: c@d", "a@\xcc\x81x.de"}) {
        EXPECT_TRUE(read(text).starts_with("fault: ")) << text;
    }
}

TEST(Address, that_a_server_could_read_as_another_is_a_fault)
{
    for (const char* text :
         {"Ann <ann@ <ann@x.example>>", "a b@x.example", "a@b@x.example", "a@x.example,b@x.example",
          "a@x.example b", "\"a@x.example", "a\x7f@x.example", "a\tb@x.example", "<a@x.example>>",
          "a@x.example＜b＞"}) {
        EXPECT_TRUE(read(text).starts_with("fault: ")) << text << ": " << read(text);
    }
    EXPECT_EQ(read("\"a <b>, c\"@x.example"), "|\"a <b>, c\"@x.example");
}

TEST(Address, is_the_same_mailbox_in_another_case)
{
    EXPECT_TRUE(same_mailbox("Ann@X.example", "ann@x.EXAMPLE"));
    EXPECT_FALSE(same_mailbox("ann@x.example", "ann@x.example2"));
    EXPECT_TRUE(contains({"a@x", "b@x"}, "B@x"));
}

TEST(Date, is_written_in_utc)
{
    EXPECT_EQ(to_date(DbTime{std::chrono::microseconds(0)}), "Thu, 01 Jan 1970 00:00:00 +0000");
    EXPECT_EQ(to_date(DbTime{std::chrono::microseconds(1'796'096'950'999'999)}),
              "Tue, 01 Dec 2026 03:49:10 +0000");
}

} // namespace
} // namespace sagabox::mail
