#include "base/address_rules.hpp"

#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace sagabox {
namespace {

bool permits(const AddressRules& rules, const std::string& address)
{
    sockaddr_storage storage{};
    if (address.find(':') == std::string::npos) {
        sockaddr_in four{};
        four.sin_family = AF_INET;
        EXPECT_EQ(inet_pton(AF_INET, address.c_str(), &four.sin_addr), 1) << address;
        std::memcpy(&storage, &four, sizeof four);
    } else {
        sockaddr_in6 six{};
        six.sin6_family = AF_INET6;
        EXPECT_EQ(inet_pton(AF_INET6, address.c_str(), &six.sin6_addr), 1) << address;
        std::memcpy(&storage, &six, sizeof six);
    }
    return rules.permits(reinterpret_cast<const sockaddr&>(storage));
}

TEST(AddressRules, refuse_nobody_where_nothing_is_said)
{
    EXPECT_TRUE(permits(AddressRules{}, "127.0.0.1"));
    EXPECT_TRUE(permits(AddressRules{}, "2001:db8::1"));
}

TEST(AddressRules, refuse_what_deny_has_up_to_the_last_bit)
{
    const AddressRules rules({"10.1.0.0/20", "2001:db8::/33"}, {});
    EXPECT_FALSE(permits(rules, "10.1.0.0"));
    EXPECT_FALSE(permits(rules, "10.1.15.255"));
    EXPECT_TRUE(permits(rules, "10.1.16.0"));
    EXPECT_TRUE(permits(rules, "10.0.255.255"));
    EXPECT_FALSE(permits(rules, "2001:db8:7fff::1"));
    EXPECT_TRUE(permits(rules, "2001:db8:8000::1"));
}

TEST(AddressRules, let_allow_win_over_deny)
{
    const AddressRules rules({"private"}, {"10.1.2.3"});
    EXPECT_TRUE(permits(rules, "10.1.2.3"));
    EXPECT_FALSE(permits(rules, "10.1.2.4"));
    EXPECT_TRUE(permits(rules, "192.0.2.1"));
}

TEST(AddressRules, refuse_everything_else_where_only_allow_is_given)
{
    const AddressRules rules({}, {"192.0.2.0/24"});
    EXPECT_TRUE(permits(rules, "192.0.2.7"));
    EXPECT_FALSE(permits(rules, "198.51.100.1"));
    EXPECT_FALSE(permits(rules, "2001:db8::1"));
    EXPECT_FALSE(permits(rules, "127.0.0.1"));
}

TEST(AddressRules, know_an_ipv4_address_within_an_ipv6_one)
{
    const AddressRules rules({"loopback", "private", "linkLocal"}, {});
    for (const char* hidden : {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::169.254.169.254",
                               "2002:7f00:1::1", "2002:a00:1::1"}) {
        EXPECT_FALSE(permits(rules, hidden)) << hidden;
    }
    EXPECT_TRUE(permits(rules, "64:ff9b::192.0.2.1"));
}

TEST(AddressRules, know_the_names)
{
    const AddressRules rules({"loopback", "private", "linkLocal"}, {});
    for (const char* inside :
         {"127.0.0.1", "127.255.0.1", "0.0.0.0", "::1", "::", "10.9.8.7", "172.16.0.1",
          "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd00::1", "169.254.169.254", "fe80::1"}) {
        EXPECT_FALSE(permits(rules, inside)) << inside;
    }
    for (const char* outside : {"172.32.0.1", "100.128.0.1", "8.8.8.8", "2606:4700::1"}) {
        EXPECT_TRUE(permits(rules, outside)) << outside;
    }
    EXPECT_FALSE(permits(AddressRules({"any"}, {}), "8.8.8.8"));
    EXPECT_FALSE(permits(AddressRules({"any"}, {}), "2606:4700::1"));
}

TEST(AddressRules, take_no_entry_that_could_mean_something_else)
{
    for (const char* entry : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "10.0.0",
                              "010.0.0.1x", "localhost", "Loopback", "10.0.0.0/8 "}) {
        EXPECT_FALSE(AddressRules::blocks_of(entry)) << entry;
    }
}

TEST(AddressRules, refuse_what_is_no_ip_address)
{
    sockaddr_storage unix_socket{};
    unix_socket.ss_family = AF_UNIX;
    EXPECT_FALSE(
        AddressRules({"linkLocal"}, {}).permits(reinterpret_cast<const sockaddr&>(unix_socket)));
}

} // namespace
} // namespace sagabox
