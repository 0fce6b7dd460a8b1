#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

/// The template's URL with `{v}` (and `{w}`) filled, or the fault's text.
std::string fill(std::string_view text, json::Value v, json::Value w = json::Null{})
{
    const UrlTemplate url = must(UrlTemplate::parse(text));
    const auto filled = url.fill([&](std::string_view name) -> const json::Value* {
        return name == "v" ? &v : name == "w" ? &w : nullptr;
    });
    return filled ? *filled : "fault: " + filled.error().text();
}

std::string segment(json::Value v)
{
    const std::string prefix = "http://h/a/";
    const std::string url = fill("http://h/a/{v}/b", std::move(v));
    return url.starts_with("fault") ? url
                                    : url.substr(prefix.size(), url.size() - prefix.size() - 2);
}

TEST(UrlTemplate, inserts_scalars_by_their_digits)
{
    EXPECT_EQ(segment(json_of("123456789012345678901234567890")), "123456789012345678901234567890");
    EXPECT_EQ(segment(json_of("12.10")), "12.10");
    EXPECT_EQ(segment(json_of("9007199254740993")), "9007199254740993");
    EXPECT_EQ(segment(json_of("0")), "0");
    EXPECT_EQ(segment(json_of("false")), "false");
    EXPECT_EQ(segment(json_of("true")), "true");
    EXPECT_EQ(segment("R-17_x~y.z"), "R-17_x~y.z");
}

TEST(UrlTemplate, keeps_a_number_beyond_any_float)
{
    EXPECT_EQ(segment(json_of("1e400")), "1" + std::string(400, '0'));
}

TEST(UrlTemplate, encodes_all_but_unreserved_characters)
{
    EXPECT_EQ(segment("../../admin"), "..%2F..%2Fadmin");
    EXPECT_EQ(segment("a?x=1"), "a%3Fx%3D1");
    EXPECT_EQ(segment("a#b"), "a%23b");
    EXPECT_EQ(segment("100%"), "100%25");
    EXPECT_EQ(segment("%2e%2e"), "%252e%252e");
    EXPECT_EQ(segment("ключ"), "%D0%BA%D0%BB%D1%8E%D1%87");
    EXPECT_EQ(segment("a+b"), "a%2Bb");
    EXPECT_EQ(segment("a b"), "a%20b");
    EXPECT_EQ(segment("{v}"), "%7Bv%7D");
    EXPECT_EQ(segment("a\\b;c@d:e"), "a%5Cb%3Bc%40d%3Ae");
}

TEST(UrlTemplate, refuses_segments_of_dots)
{
    const std::string refused = "fault: v would make a path segment of dots only";
    EXPECT_EQ(segment("."), refused);
    EXPECT_EQ(segment(".."), refused);
    EXPECT_EQ(fill("http://h/a/{v}", ".."), refused);
    EXPECT_EQ(fill("http://h/a/{v}?x=1", ".."), refused);
    EXPECT_EQ(fill("http://h/a/.{v}/b", "."), refused);
    EXPECT_EQ(fill("http://h/a/%2e{v}/b", "."), refused);
    EXPECT_EQ(fill("http://h/a/{v}{w}/b", ".", "."), refused);
    EXPECT_EQ(segment("..."), "...");
    EXPECT_EQ(segment(".a"), ".a");
    EXPECT_EQ(fill("http://h/a?x={v}", ".."), "http://h/a?x=..");
}

TEST(UrlTemplate, refuses_control_characters)
{
    for (const char* bad : {"a\r\nb", "a\nb", "a\tb", "\x7f", "a\xc2\x85"}) {
        EXPECT_EQ(segment(bad), "fault: v holds a control character");
    }
    EXPECT_EQ(segment(std::string("a\0b", 3)), "fault: v holds a control character");
    EXPECT_EQ(segment("\xc2\xa0"), "%C2%A0");
}

TEST(UrlTemplate, refuses_what_is_missing_or_no_scalar)
{
    EXPECT_EQ(segment(json::Null{}), "fault: v is null");
    EXPECT_EQ(segment(""), "fault: v is empty");
    EXPECT_EQ(segment(json_of("{}")), "fault: v is an object");
    EXPECT_EQ(segment(json_of("[1]")), "fault: v is an array");
    EXPECT_EQ(fill("http://h/{other}", "x"), "fault: other is missing");
}

TEST(UrlTemplate, fills_path_query_and_fragment)
{
    EXPECT_EQ(fill("https://u:p@h:8443/{v}/x-{w}?k={v}&l=1#{w}", "a/b", json_of("2")),
              "https://u:p@h:8443/a%2Fb/x-2?k=a%2Fb&l=1#2");
}

TEST(UrlTemplate, lists_its_placeholders)
{
    const UrlTemplate url = must(UrlTemplate::parse("http://h/{a}/{b.c-d_1}?x={a}"));
    EXPECT_EQ(url.placeholders(), (std::vector<std::string>{"a", "b.c-d_1", "a"}));
    EXPECT_EQ(url.text(), "http://h/{a}/{b.c-d_1}?x={a}");
}

TEST(UrlTemplate, accepts_the_hosts_that_there_are)
{
    for (const char* good :
         {"http://localhost:9000/api/inventory/reserve", "HTTPS://example.com", "http://10.0.0.1/x",
          "http://[::1]:9000/x", "http://my_service.internal:1/x", "http://user:p@ss@h/x",
          "http://h?x={v}", "http://h/%D0%BA/%2F"}) {
        EXPECT_TRUE(UrlTemplate::parse(good)) << good;
    }
}

TEST(UrlTemplate, refuses_what_is_no_http_url)
{
    for (const char* bad : {"",
                            "localhost/x",
                            "ftp://h/x",
                            "file:///etc/passwd",
                            "//h/x",
                            "http:/h/x",
                            "http://",
                            "http:///x",
                            "http://:80/x",
                            "http://u@/x",
                            "http://h:/x",
                            "http://h:0/x",
                            "http://h:65536/x",
                            "http://h:8x/x",
                            "http://h:123456789/x",
                            "http://[::1/x",
                            "http://[::1]x/",
                            "http://[g]/",
                            "http://a b/x",
                            "http://h/a b",
                            "http://h/a\r\nb",
                            "http://h/a\\b",
                            "http://h/\"",
                            "http://\xd0\xba/x",
                            "http://h%2e/x"}) {
        const auto url = UrlTemplate::parse(bad);
        ASSERT_FALSE(url) << bad;
        EXPECT_EQ(url.error().kind(), Fault::Kind::bad_input);
    }
    EXPECT_FALSE(UrlTemplate::parse(std::string_view("http://h/a\0b", 12)));
}

TEST(UrlTemplate, refuses_placeholders_before_the_path)
{
    for (const char* bad : {"http://{v}/x", "http://h:{v}/x", "http://{v}@h/x", "{v}://h/x", "{v}",
                            "http://h{v}", "http://h.{v}/x"}) {
        EXPECT_FALSE(UrlTemplate::parse(bad)) << bad;
    }
}

TEST(UrlTemplate, refuses_unbalanced_and_empty_braces)
{
    for (const char* bad : {"http://h/{v", "http://h/v}", "http://h/{}", "http://h/{{v}}",
                            "http://h/{a b}", "http://h/{1}", "http://h/{v}}"}) {
        EXPECT_FALSE(UrlTemplate::parse(bad)) << bad;
    }
}

TEST(UrlTemplate, refuses_an_escape_that_a_value_would_complete)
{
    for (const char* bad : {"http://h/%2{v}", "http://h/%{v}", "http://h/100%", "http://h/%zz"}) {
        EXPECT_FALSE(UrlTemplate::parse(bad)) << bad;
    }
}

TEST(UrlTemplate, encodes_bytes_beyond_ascii_of_its_own_text)
{
    EXPECT_EQ(fill("http://h/ключ/{v}", "x"), "http://h/%D0%BA%D0%BB%D1%8E%D1%87/x");
}

TEST(UrlTemplate, fails_when_it_was_never_parsed)
{
    EXPECT_FALSE(UrlTemplate{}.fill([](std::string_view) { return nullptr; }));
}

TEST(UrlTemplate, hides_secrets)
{
    const auto hidden = UrlTemplate::without_secrets;
    EXPECT_EQ(hidden("http://h/a/b"), "http://h/a/b");
    EXPECT_EQ(hidden("https://user:p@ss@h:81/a"), "https://h:81/a");
    EXPECT_EQ(hidden("https://token@h"), "https://h");
    EXPECT_EQ(hidden("http://h/a?key=s3cret&x=&y=1=2"), "http://h/a?key=***&x=***&y=***");
    EXPECT_EQ(hidden("http://h/a?s3cret"), "http://h/a?***");
    EXPECT_EQ(hidden("http://h/a?s3cret&"), "http://h/a?***&");
    EXPECT_EQ(hidden("http://h/a?"), "http://h/a?");
    EXPECT_EQ(hidden("http://h/a?k={v}#token"), "http://h/a?k=***#***");
    EXPECT_EQ(hidden("http://h/a@b"), "http://h/a@b");
    EXPECT_EQ(hidden("http://h?to=a@b"), "http://h?to=***");
    EXPECT_EQ(hidden(""), "");
}

} // namespace
} // namespace sagabox::core
