#include "sql.hpp"
#include "tests/store/store_fixture.hpp"

namespace sagabox::store {
namespace {

class MigrateTest : public StoreTest {
protected:
    Result<Migrated> migrate_as(pg::Options wanted)
    {
        return testing::run(
            context, migrate(context.get_executor(), std::move(wanted), Deadline::after(patience)));
    }
    pg::Options as(const std::string& role, const std::string& schema)
    {
        pg::Options wanted = options();
        wanted.schema = schema;
        wanted.settings.emplace_back("role", role);
        return wanted;
    }
};

TEST_F(MigrateTest, needs_no_right_to_make_anything_where_all_is_there)
{
    sql.exec("drop role if exists user_of_tables; create role user_of_tables;"
             "revoke create on schema public from public;"
             "grant select on sagabox_schema to user_of_tables");
    const Result<Migrated> migrated = migrate_as(as("user_of_tables", "public"));
    ASSERT_TRUE(migrated.has_value()) << migrated.error().text();
    EXPECT_TRUE(migrated->applied.empty());
    sql.exec("drop owned by user_of_tables; drop role user_of_tables");
}

TEST_F(MigrateTest, needs_no_more_than_a_schema_of_one_s_own)
{
    sql.exec("drop role if exists owner_of_schema; create role owner_of_schema;"
             "create schema mine authorization owner_of_schema");
    const Result<Migrated> migrated = migrate_as(as("owner_of_schema", "mine"));
    ASSERT_TRUE(migrated.has_value()) << migrated.error().text();
    EXPECT_EQ(sql.one("select mine.outbox_emit('order-1', 'Made', '{}')"), "1");
    EXPECT_EQ(sql.one("select count(*) from outbox_events"), "0");
    sql.exec("drop owned by owner_of_schema; drop role owner_of_schema");
}

TEST_F(MigrateTest, passes_where_the_server_does_not_know_the_syntax_of_compression)
{
    std::string text(sagabox::sql::migrations[0].text);
    const std::string known = "set compression";
    std::size_t replaced = 0;
    for (auto at = text.find(known); at != std::string::npos; at = text.find(known, at)) {
        text.replace(at, known.size(), "set no_such_thing");
        ++replaced;
    }
    EXPECT_GT(replaced, 0U);
    sagabox::testing::Sql older(testing::Postgres::instance().fresh_database());
    older.exec(text);
    EXPECT_EQ(older.one("select count(*) from outbox_events"), "0");
}

TEST_F(MigrateTest, keeps_out_an_event_that_no_claim_could_read)
{
    EXPECT_THROW(sql.exec("insert into outbox_events (aggregate_id, event_type, payloads, "
                          "created_at) values ('order-1', 'Made', '{}', 'infinity')"),
                 std::runtime_error);
}

} // namespace
} // namespace sagabox::store
