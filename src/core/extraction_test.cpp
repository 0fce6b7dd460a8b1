#include "core/test_values.hpp"

namespace sagabox::core {
namespace {

TEST(Extraction, reads_its_source)
{
    EXPECT_EQ(must(Extraction::parse("a", "request:$.x")).source, Source::request);
    EXPECT_EQ(must(Extraction::parse("a", "response:$.x")).source, Source::response);
    EXPECT_EQ(must(Extraction::parse("a", "$.x")).source, Source::response);
}

TEST(Extraction, keeps_name_and_path)
{
    const Extraction extraction = must(Extraction::parse("reservationId", " request: $.items[0] "));
    EXPECT_EQ(extraction.name, "reservationId");
    EXPECT_EQ(extraction.path.text(), "$.items[0]");
}

TEST(Extraction, refuses_another_source_a_bad_path_and_a_bad_name_and_says_so)
{
    for (const char* expression :
         {"", "header:$.x", "x", "Response:$.x", "response:", "request:$.[", "$."}) {
        const auto extraction = Extraction::parse("total", expression);
        ASSERT_FALSE(extraction) << expression;
        EXPECT_NE(extraction.error().text().find("total"), std::string::npos);
        EXPECT_EQ(extraction.error().kind(), Fault::Kind::bad_input);
    }
    for (const char* name : {"", "1a", "a b", "a}"}) {
        EXPECT_FALSE(Extraction::parse(name, "$.x")) << name;
    }
}

} // namespace
} // namespace sagabox::core
