#include "config/config_fixture.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace sagabox::config {
namespace {

TEST(Reader, refuses_a_missing_file)
{
    const Folder folder;
    const Loaded loaded = load_file(folder.path("nope.conf"));
    EXPECT_FALSE(loaded.settings);
    ASSERT_EQ(loaded.problems.size(), 1U);
    EXPECT_EQ(loaded.problems[0].place, folder.path("nope.conf"));
    EXPECT_NE(loaded.problems[0].text.find("no such file"), std::string::npos);
}

TEST(Reader, refuses_a_directory)
{
    const Folder folder;
    EXPECT_NE(problems_of(load_file(folder.path(""))).find("directory"), std::string::npos);
}

TEST(Reader, refuses_a_file_that_it_may_not_read)
{
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may read everything";
    }
    const Folder folder;
    const std::string path = folder.write("a.conf", "a = 1");
    ::chmod(path.c_str(), 0);
    EXPECT_NE(problems_of(load_file(path)).find("permissions"), std::string::npos);
}

TEST(Reader, takes_an_empty_file_for_all_defaults)
{
    const Folder folder;
    EXPECT_TRUE(load_file(folder.write("a.conf", "")).settings);
    EXPECT_TRUE(load_file(folder.write("b.conf", "# nothing\n")).settings);
}

TEST(Reader, names_the_line_of_each_kind_of_slip)
{
    const std::pair<const char*, const char*> cases[] = {
        {"a = 1\nb = \"open\nc = 2", "shop.conf:2"},
        {"a = 1\nb {\n c = 1\n", "shop.conf:2"},
        {"a = 1\n}\n", "shop.conf:2"},
        {"a = [1\n}\n", "shop.conf:2"},
        {"a = 1\nb = ${x\n", "shop.conf:2"},
        {"a = 1\nb = \"\"\"x\n\n", "shop.conf:2"},
        {"a = 1\n\nb = 1 c = 2\nd = 1", "shop.conf:3"},
        {"a = 1\nb = [1,,2]\nd = 1", "shop.conf:2"},
        {"a = 1\nb = \"x\\q\"\n", "shop.conf:2"},
        {"a = 1\nb = \"\xff\"\n", "shop.conf:2"},
    };
    for (const auto& [text, place] : cases) {
        const Loaded loaded = load_text(text, "shop.conf");
        EXPECT_FALSE(loaded.settings) << text;
        ASSERT_FALSE(loaded.problems.empty()) << text;
        EXPECT_EQ(loaded.problems[0].place, place) << text << "\n" << problems_of(loaded);
    }
}

TEST(Reader, refuses_a_key_with_an_empty_element_instead_of_reading_through_a_null_pointer)
{
    for (const char* key : {"b..c", ".b", "b.", "b .. c", ".", "\"b\"..c", "b.c. "}) {
        for (const char* rest : {" = 1", ": 1", "{ c = 1 }", "+= 1", " # 1", " // 1\n = 1"}) {
            const std::string text = "a = 1\n" + std::string(key) + rest + "\n";
            const std::string problems = problems_of(load_text(text, "shop.conf"));
            EXPECT_NE(problems.find("shop.conf:2"), std::string::npos) << text;
            EXPECT_NE(problems.find("this key has a '.'"), std::string::npos) << text;
        }
    }
    for (const char* key :
         {"b.c", "b . c", "b.\"\"", "\".\".c", "\"\"", "b.\"..\"", "\".\\\".\""}) {
        EXPECT_EQ(problems_of(load_text(std::string(key) + " = 1\n", "shop.conf")), "") << key;
    }
}

TEST(Reader, shows_no_text_of_a_broken_line_that_may_hold_a_secret)
{
    const std::string problems = problems_in("http.auth.token = hunter2 : x\n");
    EXPECT_NE(problems, "");
    EXPECT_EQ(problems.find("hunter2"), std::string::npos) << problems;
}

TEST(Reader, survives_nesting_of_any_depth)
{
    EXPECT_NE(problems_in("a = " + std::string(100'000, '[')).find("deep"), std::string::npos);
}

TEST(Reader, refuses_a_binary_file)
{
    EXPECT_NE(problems_in(std::string("a = 1\n\0", 7)).find("NUL"), std::string::npos);
}

TEST(Reader, takes_any_character_in_a_string)
{
    const Settings settings = settings_in("\xEF\xBB\xBF"
                                          "outbox.http {\n"
                                          " routes { \"склад 😀\" { url = \"http://h/é\" } }\n"
                                          " fanout { X = [\"склад \\ud83d\\ude00\"] }\n"
                                          "}\r\n");
    EXPECT_TRUE(settings.plan->destinations.contains("склад 😀"));
}

TEST(Reader, takes_includes_from_the_folder_of_the_including_file)
{
    const Folder folder;
    folder.write("parts/routes.conf", "outbox.http.routes.a.url = \"http://h/a\"\n"
                                      "include \"deeper/b\"\n");
    folder.write("parts/deeper/b.conf", "outbox.http.routes.b.url = \"http://h/b\"");
    const Loaded loaded =
        load_file(folder.write("main.conf", "include \"parts/routes.conf\"\n"
                                            "outbox.http.fanout.X = [\"a\", \"b\"]"));
    EXPECT_EQ(problems_of(loaded), "");
    EXPECT_EQ(loaded.settings->plan->destinations.size(), 2U);
}

TEST(Reader, names_the_included_file_and_its_line)
{
    const Folder folder;
    const std::string part = folder.write("part.conf", "outbox {\n  bathcSize = 3\n}\n");
    const Loaded loaded = load_file(folder.write("main.conf", "include \"part.conf\"\n"));
    ASSERT_EQ(loaded.problems.size(), 1U) << problems_of(loaded);
    EXPECT_EQ(loaded.problems[0].place, part + ":2: outbox.bathcSize");
}

TEST(Reader, reports_a_missing_include_and_one_that_never_ends)
{
    const Folder folder;
    const Loaded missing = load_file(folder.write("a.conf", "include \"nope.conf\"\n"));
    EXPECT_NE(problems_of(missing).find("nope.conf"), std::string::npos);
    EXPECT_FALSE(missing.settings);
    const Loaded file = load_file(folder.write("f.conf", "include file(\"nope.conf\")\n"));
    EXPECT_FALSE(file.settings);
    folder.write("c.conf", "include \"b.conf\"\n");
    const Loaded circle = load_file(folder.write("b.conf", "include \"c.conf\"\n"));
    EXPECT_NE(problems_of(circle).find("includes itself"), std::string::npos);
}

TEST(Reader, reports_every_substitution_that_stands_for_nothing)
{
    const Loaded loaded = load_text("outbox.batchSize = ${NO_SUCH_A}\n"
                                    "database.url = ${NO_SUCH_B}\n"
                                    "outbox.poolSize = 0\n",
                                    "shop.conf");
    ASSERT_EQ(loaded.problems.size(), 3U) << problems_of(loaded);
    EXPECT_EQ(loaded.problems[0].place, "shop.conf:1");
    EXPECT_NE(loaded.problems[0].text.find("NO_SUCH_A"), std::string::npos);
    EXPECT_EQ(loaded.problems[1].place, "shop.conf:2");
    EXPECT_EQ(loaded.problems[2].place, "shop.conf:3: outbox.poolSize");
}

TEST(Reader, leaves_to_other_programs_what_their_sections_lack)
{
    settings_in("play.http.secret.key = ${NO_SUCH_SECRET}\noutbox.batchSize = 3");
}

TEST(Reader, lets_a_variable_that_is_not_set_leave_the_earlier_value)
{
    const std::string text = "outbox { batchSize = 7, batchSize = ${?SAGABOX_TEST_BATCH} }";
    EXPECT_EQ(settings_in(text).relay.batch_size, 7);
    const Variable set("SAGABOX_TEST_BATCH", "9");
    EXPECT_EQ(settings_in(text).relay.batch_size, 9);
}

} // namespace
} // namespace sagabox::config
