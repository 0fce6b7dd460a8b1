#include "config/reference.hpp"

#include "config/checks.hpp"
#include "config/config_fixture.hpp"
#include "config/declarations.hpp"
#include "config/view.hpp"

#include <sstream>

namespace sagabox::config {
namespace {

std::string documentation()
{
    std::ifstream in(std::string(SAGABOX_SOURCE_DIR) + "/docs/configuration.md");
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

/// What stands between the first ```hocon and its end.
std::string worked_example(const std::string& text)
{
    const std::string start = "```hocon\n";
    const std::size_t from = text.find(start) + start.size();
    return text.substr(from, text.find("```", from) - from);
}

TEST(Reference, stands_in_the_documentation_word_for_word)
{
    const std::string text = documentation();
    const std::string begin = "<!-- reference: begin -->\n\n";
    const std::size_t from = text.find(begin);
    ASSERT_NE(from, std::string::npos);
    const std::size_t start = from + begin.size();
    const std::size_t end = text.find("\n<!-- reference: end -->", start);
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(text.substr(start, end - start), reference_markdown())
        << "put the output of reference_markdown() into docs/configuration.md";
}

TEST(Reference, has_a_worked_example_that_loads)
{
    const Loaded loaded = load_text(worked_example(documentation()), "example.conf");
    EXPECT_EQ(problems_of(loaded), "");
    ASSERT_TRUE(loaded.settings);
    EXPECT_EQ(loaded.settings->plan->fanouts.size(), 2U);
}

TEST(Reference, names_every_declared_section_once)
{
    std::vector<const Section*> reached;
    const auto visit = [&](const auto& self, const Section& section) -> void {
        for (const Setting& setting : section.settings) {
            if (setting.of != nullptr && std::ranges::find(reached, setting.of) == reached.end()) {
                reached.push_back(setting.of);
                self(self, *setting.of);
            }
        }
        if (section.more != nullptr) {
            self(self, *section.more);
        }
    };
    visit(visit, root_section());
    std::vector<const Section*> listed(all_sections().begin(), all_sections().end());
    std::ranges::sort(listed);
    std::ranges::sort(reached);
    EXPECT_EQ(listed, reached);
}

TEST(Reference, declares_defaults_that_its_own_bounds_allow)
{
    for (const Section* section : all_sections()) {
        for (const Setting& setting : section->settings) {
            EXPECT_FALSE(setting.help.empty()) << setting.name;
            if (setting.fallback.empty()) {
                continue;
            }
            Node node;
            node.kind = Node::Kind::text;
            node.text = setting.fallback;
            EXPECT_EQ(wrong_with(setting, node).value_or(""), "")
                << section->path << "." << setting.name;
        }
    }
}

} // namespace
} // namespace sagabox::config
