#include "testing/exposition.hpp"

#include <gtest/gtest.h>

namespace sagabox::testing {
namespace {

/// Empty where the page is good.
std::string wrong_with(std::string_view page)
{
    try {
        static_cast<void>(Exposition(page));
        return "";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

TEST(StrictParser, reads_what_is_right)
{
    const Exposition page("# HELP a_total Of \\\\ and \\n.\n# TYPE a_total counter\n"
                          "a_total{x=\"\\\"\\\\\\n{}=,é\",y=\"\"} 2\n"
                          "# HELP b_seconds B.\n# TYPE b_seconds histogram\n"
                          "b_seconds_count 3\nb_seconds_sum 1.5\n"
                          "b_seconds_bucket{le=\"1\"} 2\nb_seconds_bucket{le=\"+Inf\"} 3\n");
    EXPECT_EQ(page.value("a_total", {{"x", "\"\\\n{}=,é"}, {"y", ""}}), 2);
    EXPECT_EQ(page.value("b_seconds_bucket", {{"le", "1"}}), 2);
    EXPECT_THROW(static_cast<void>(page.value("a_total")), std::runtime_error);
}

TEST(StrictParser, lets_nothing_pass_that_is_wrong)
{
    const std::string head = "# HELP a A.\n# TYPE a gauge\n";
    for (const std::string& page : {
             head,                                                // no samples
             head + "a 1",                                        // no line feed
             head + "a 1\n\n",                                    // an empty line
             head + "a 1 17\n",                                   // a timestamp
             head + "a one\n",                                    // no number
             head + "a{x=\"1\n",                                  // no end of the value
             head + "a{x=\"\\t\"} 1\n",                           // no such escape
             head + "a{x=\"\xff\"} 1\n",                          // no UTF-8
             head + "a{x=\"1\",x=\"2\"} 1\n",                     // a label twice
             head + "a{1x=\"1\"} 1\n",                            // no name
             head + "a-b 1\n",                                    // no name
             head + "a 1\na 2\n",                                 // a series twice
             head + "a 1\nb 1\n",                                 // no family
             head + "a 1\n" + head + "a 2\n",                     // a family twice
             std::string("# TYPE a gauge\na 1\n"),                // no help
             std::string("# HELP a A.\na 1\n"),                   // no type
             std::string("# HELP a A.\n# TYPE a counter\na 1\n"), // no _total
             std::string("# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n"), // no counter
             std::string("# HELP a_total A.\n# TYPE a_total counter\na_total -1\n"),
             std::string("# HELP a A.\n# TYPE a histogram\na_count 1\na_sum 1\n"
                         "a_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\n"),
             std::string("# HELP a A.\n# TYPE a histogram\na_count 2\na_sum 1\n"
                         "a_bucket{le=\"1\"} 1\na_bucket{le=\"+Inf\"} 1\n"),
             std::string("# HELP a A.\n# TYPE a histogram\na_count 1\na_sum 1\n"
                         "a_bucket{le=\"1\"} 1\n"),
         }) {
        EXPECT_NE(wrong_with(page), "") << page;
    }
    EXPECT_EQ(wrong_with(head + "a 1\n"), "");
}

} // namespace
} // namespace sagabox::testing
