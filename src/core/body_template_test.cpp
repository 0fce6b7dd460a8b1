#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

/// The body as compact JSON with `{v}` filled, or the fault's text.
std::string fill(std::string_view text, json::Value v)
{
    const BodyTemplate body = must(BodyTemplate::parse(text));
    const auto filled = body.fill(
        [&](std::string_view name) -> const json::Value* { return name == "v" ? &v : nullptr; });
    return filled ? json::write(*filled) : "fault: " + filled.error().text();
}

TEST(BodyTemplate, makes_text_inside_a_string_and_a_value_outside)
{
    EXPECT_EQ(fill(R"({"a": "{v}"})", json_of("99.99")), R"({"a":"99.99"})");
    EXPECT_EQ(fill(R"({"a": {v}})", json_of("99.99")), R"({"a":99.99})");
    EXPECT_EQ(fill(R"({"a": "is {v}!"})", json_of("true")), R"({"a":"is true!"})");
    EXPECT_EQ(fill(R"({"a": {v}})", json_of("false")), R"({"a":false})");
    EXPECT_EQ(fill(R"({"a": {v}})", "text"), R"({"a":"text"})");
    EXPECT_EQ(fill(R"({"{v}": 1})", "name"), R"({"name":1})");
}

TEST(BodyTemplate, inserts_whole_documents_outside_strings)
{
    EXPECT_EQ(fill(R"([{v}, {v}])", json_of(R"({"x":[1,"{v}"]})")),
              R"([{"x":[1,"{v}"]},{"x":[1,"{v}"]}])");
    EXPECT_EQ(fill("{v}", json_of("[]")), "[]");
}

TEST(BodyTemplate, keeps_digits)
{
    EXPECT_EQ(fill(R"(["{v}",{v}])", json_of("12.10")), R"(["12.10",12.10])");
    EXPECT_EQ(fill(R"(["{v}",{v}])", json_of("123456789012345678901234567890")),
              R"(["123456789012345678901234567890",123456789012345678901234567890])");
    EXPECT_EQ(fill(R"([{v}, 100.10])", json_of("0")), "[0,100.10]");
}

TEST(BodyTemplate, gives_back_exactly_the_text_that_was_inserted)
{
    for (const char* text : {"\"", "\\", "a\nb\r\tc", "{v}", "{other}", "\xe2\x80\xa8", "</script>",
                             "\",\"admin\":true,\"x\":\"", "\\u0041", "ключ", "}{", "\x01"}) {
        const BodyTemplate body = must(BodyTemplate::parse(R"({"in": "<{v}>", "out": {v}})"));
        const json::Value v(text);
        const json::Value filled = must(body.fill([&](std::string_view) { return &v; }));
        ASSERT_EQ(filled.as_object()->size(), 2U) << text;
        EXPECT_EQ(*filled.find("in")->as_string(), std::string("<") + text + ">");
        EXPECT_EQ(*filled.find("out")->as_string(), text);
    }
}

TEST(BodyTemplate, fails_for_what_is_missing_null_or_empty)
{
    for (const char* text : {R"({"a": "{v}"})", R"({"a": {v}})"}) {
        EXPECT_EQ(fill(text, json::Null{}), "fault: v is null");
        EXPECT_EQ(fill(text, ""), "fault: v is empty");
    }
    EXPECT_EQ(fill(R"({"a": {other}})", "x"), "fault: other is missing");
}

TEST(BodyTemplate, puts_no_object_into_a_string)
{
    EXPECT_EQ(fill(R"({"a": "{v}"})", json_of("{}")), "fault: v is an object");
    EXPECT_EQ(fill(R"({"a": "{v}"})", json_of("[1]")), "fault: v is an array");
}

TEST(BodyTemplate, takes_zero_and_false_for_values)
{
    EXPECT_EQ(fill(R"(["{v}", {v}])", json_of("0")), R"(["0",0])");
    EXPECT_EQ(fill(R"(["{v}", {v}])", json_of("false")), R"(["false",false])");
}

TEST(BodyTemplate, takes_only_braces_around_an_identifier_for_a_placeholder)
{
    EXPECT_EQ(fill(R"({"a": {}, "b": "{}", "c": "{ v }", "d": "{1}", "e": "{v"})", "x"),
              R"({"a":{},"b":"{}","c":"{ v }","d":"{1}","e":"{v"})");
    EXPECT_EQ(fill(R"({"a": "{v}}{{v}"})", "x"), R"({"a":"x}{x"})");
}

TEST(BodyTemplate, lists_each_placeholder_once)
{
    EXPECT_EQ(
        must(BodyTemplate::parse(R"({"a": {x}, "b": "{y}{x}", "c": "{z.1-a}"})")).placeholders(),
        (std::vector<std::string>{"x", "y", "z.1-a"}));
}

TEST(BodyTemplate, refuses_what_can_not_become_json)
{
    for (const char* text :
         {"", "{", R"({"a": })", R"({"a": {v}{v}})", R"({"a": 1{v}})", R"({"a": {v}1})",
          R"({"a": -{v}})", R"({ {v}: 1})", R"({"a": { v }})", R"({a: {v}})", R"({"a": "{v})",
          R"({"a": "\{v}"})", R"({"a": "\u00{v}41"})", R"({"a": '{v}'})", R"({"a": {v}} x)",
          R"("{v}" "{v}")"}) {
        const auto body = BodyTemplate::parse(text);
        ASSERT_FALSE(body) << text;
        EXPECT_EQ(body.error().kind(), Fault::Kind::bad_input);
    }
}

TEST(BodyTemplate, is_not_misled_by_escaped_quotes)
{
    EXPECT_EQ(fill(R"({"a": "\"{v}\\", "b": {v}})", "x"), R"({"a":"\"x\\","b":"x"})");
}

TEST(BodyTemplate, fails_rather_than_nest_too_deep)
{
    std::string deep(json::max_depth - 1, '[');
    deep += std::string(json::max_depth - 1, ']');
    EXPECT_TRUE(fill("[[[{v}]]]", json_of(deep)).starts_with("fault: "));
}

TEST(BodyTemplate, as_text_takes_empty_strings_too)
{
    const BodyTemplate body = must(BodyTemplate::parse(R"({"a": "<{v}>", "b": {v}})"));
    json::Value value = "";
    const auto lookup = [&](std::string_view) -> const json::Value* {
        return &value;
    };
    EXPECT_EQ(must(body.fill_text(lookup)), R"({"a": "<>", "b": ""})");
    value = "say \"x\"";
    EXPECT_EQ(must(body.fill_text(lookup)), R"({"a": "<say \"x\">", "b": "say \"x\""})");
    value = json::Array{};
    EXPECT_FALSE(body.fill_text(lookup)) << "no list fits inside a string";
}

} // namespace
} // namespace sagabox::core
