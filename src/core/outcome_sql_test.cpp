#include "core/outcome_sql.hpp"

#include <gtest/gtest.h>

namespace sagabox::core {
namespace {

std::string bound(std::string_view sql)
{
    const auto result = bind_names(sql);
    return result ? result->text : "refused: " + result.error().text();
}

TEST(OutcomeSql, numbers_each_name_once_and_keeps_the_cast)
{
    const auto result = bind_names("UPDATE orders SET status = 'X', note = :reason "
                                   "WHERE id = :aggregate_id::bigint AND ref <> :aggregate_id");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->text, "UPDATE orders SET status = 'X', note = $1 "
                            "WHERE id = $2::bigint AND ref <> $2");
    EXPECT_EQ(result->names, (std::vector<std::string>{"reason", "aggregate_id"}));
}

TEST(OutcomeSql, leaves_quotes_comments_and_casts_alone)
{
    for (const char* sql : {
             "select ':event_id'",
             "select 'it''s :event_id'",
             R"(select E'\' :event_id')",
             R"(select '\', x from t where y = '')",
             R"(select ":event_id")",
             "select $$ :event_id $$",
             "select $a$ :event_id $$ :reason $a$",
             "select 1 -- :event_id",
             "select 1 /* :event_id /* :reason */ :unknown */",
             "select x::text, y :: int",
             "select f(a := 1)",
             "select a$b",
             "select array[1,2,3][1:2]",
         }) {
        const auto result = bind_names(sql);
        ASSERT_TRUE(result) << sql << ": " << result.error().text();
        EXPECT_EQ(result->text, sql);
        EXPECT_TRUE(result->names.empty()) << sql;
    }
}

TEST(OutcomeSql, finds_a_name_right_after_what_it_leaves_alone)
{
    EXPECT_EQ(bound("select 'a'||:event_id"), "select 'a'||$1");
    EXPECT_EQ(bound("select 1 -- :x\n, :reason"), "select 1 -- :x\n, $1");
    EXPECT_EQ(bound("select $$x$$, :event_type"), "select $$x$$, $1");
    EXPECT_EQ(bound("select x::text=:event_id"), "select x::text=$1");
}

TEST(OutcomeSql, refuses_what_it_cannot_fill)
{
    EXPECT_EQ(bound("select :order_id"), "refused: there is no parameter :order_id; use "
                                         ":aggregate_id, :event_id, :event_type or :reason");
    EXPECT_TRUE(bound("select :aggregate_ids").starts_with("refused"));
    EXPECT_TRUE(bound("select $1").starts_with("refused"));
}

TEST(OutcomeSql, refuses_unclosed_quotes_and_comments)
{
    for (const char* sql : {"select 'a", R"(select "a)", "select $$ a", "select $q$ a $$",
                            "select /* a", "select E'a\\'"}) {
        EXPECT_TRUE(bound(sql).starts_with("refused")) << sql;
    }
}

TEST(OutcomeSql, takes_one_statement_with_or_without_its_semicolon)
{
    EXPECT_EQ(bound("select 1; -- done"), "select 1; -- done");
    EXPECT_TRUE(bound("select 1; select 2").starts_with("refused"));
    EXPECT_TRUE(bound("").starts_with("refused"));
    EXPECT_TRUE(bound("  -- nothing").starts_with("refused"));
}

TEST(OutcomeSql, refuses_to_touch_the_transaction)
{
    for (const char* sql : {"COMMIT", "  /* x */ Rollback", "begin", "savepoint a", "END"}) {
        EXPECT_TRUE(bound(sql).starts_with("refused")) << sql;
    }
    EXPECT_EQ(bound("select 'commit'"), "select 'commit'");
}

} // namespace
} // namespace sagabox::core
