#include "json/path.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include <gtest/gtest.h>

namespace sagabox::json {
namespace {

constexpr std::size_t cases_in_the_suite = 703;

std::filesystem::path suite_file()
{
    const char* folder = std::getenv("SAGABOX_COMPLIANCE_DIR");
    return std::filesystem::path(folder != nullptr ? folder
                                                   : SAGABOX_SOURCE_DIR "/../shared/compliance") /
           "jsonpath-rfc9535-cts.json";
}

std::string replace_all(std::string text, std::string_view what, std::string_view by)
{
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
    return text;
}

// Our parser turns U+0000 into U+FFFD, but some selectors of the suite are about U+0000 itself. In
// between, a character of the private use area stands for it.
constexpr std::string_view stand_in = "\xEF\xA3\xB7";
constexpr std::string_view stand_in_escaped = "\\uf8f7";

std::string hide_nul(std::string text)
{
    constexpr std::string_view literal_backslash = "\\\\";
    constexpr std::string_view marker = "\x01";
    text = replace_all(std::move(text), literal_backslash, marker);
    text = replace_all(std::move(text), "\\u0000", stand_in_escaped);
    return replace_all(std::move(text), marker, literal_backslash);
}

std::string show_nul(std::string text)
{
    return replace_all(std::move(text), stand_in, std::string_view("\0", 1));
}

std::string text_of(const Value& test, std::string_view name)
{
    const Value* found = test.find(name);
    return found != nullptr && found->as_string() != nullptr ? *found->as_string() : "";
}

/// The answers that the suite allows: one, or several where the RFC leaves the order open.
Array allowed_results(const Value& test)
{
    if (const Value* several = test.find("results")) {
        return *several->as_array();
    }
    const Value* one = test.find("result");
    return one != nullptr ? Array{*one} : Array{};
}

void run_case(const Value& test)
{
    const std::string query = show_nul(text_of(test, "selector"));
    SCOPED_TRACE(text_of(test, "name") + ": " + query);
    const Result<Path> path = Path::compile(query);
    if (test.find("invalid_selector") != nullptr) {
        EXPECT_FALSE(path) << "compiles, but must not";
        return;
    }
    ASSERT_TRUE(path) << path.error().text();
    const Value* document = test.find("document");
    ASSERT_NE(document, nullptr);

    const std::vector<const Value*> nodes = path->select(*document);
    Array selected;
    for (const Value* node : nodes) {
        selected.push_back(*node);
    }
    const Array allowed = allowed_results(test);
    EXPECT_NE(std::find(allowed.begin(), allowed.end(), Value(selected)), allowed.end())
        << "selects " << write(selected) << ", allowed are " << write(allowed);
    EXPECT_EQ(path->first(*document), nodes.empty() ? nullptr : nodes.front());
}

TEST(PathCompliance, passes_every_case_of_the_suite_for_rfc_9535)
{
    std::ifstream file(suite_file());
    if (!file) {
        GTEST_SKIP() << "the JSONPath compliance suite is not at " << suite_file()
                     << "; set SAGABOX_COMPLIANCE_DIR to the folder that holds it";
    }
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ASSERT_EQ(text.find(stand_in), text.npos);
    ASSERT_EQ(text.find(stand_in_escaped), text.npos);
    const Result<Value> suite = parse(hide_nul(text));
    ASSERT_TRUE(suite) << suite.error().text();
    const Value* tests = suite->find("tests");
    ASSERT_TRUE(tests != nullptr && tests->as_array() != nullptr);

    for (const Value& test : *tests->as_array()) {
        run_case(test);
    }
    EXPECT_EQ(tests->as_array()->size(), cases_in_the_suite);
    std::cout << "JSONPath compliance: " << tests->as_array()->size() << " cases run\n";
}

} // namespace
} // namespace sagabox::json
