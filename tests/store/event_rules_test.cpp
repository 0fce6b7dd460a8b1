#include "tests/store/store_fixture.hpp"

#include <gmock/gmock.h>

namespace sagabox::store {
namespace {

using ::testing::HasSubstr;

/// What the table itself refuses, in words that say which rule was broken.
class EventRulesTest : public StoreTest {
protected:
    /// What PostgreSQL says to a statement; empty where it has no objection.
    std::string objection(const std::string& text)
    {
        try {
            sql.exec(text);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return {};
    }
};

TEST_F(EventRulesTest, refuse_an_aggregate_id_that_no_index_would_take)
{
    // Random, since an index would compress what repeats itself.
    sql.exec("create function noise(bytes int) returns text language sql as "
             "'select string_agg(substr(md5(random()::text), 1, 1), '''') from "
             "generate_series(1, bytes)'");
    EXPECT_EQ(objection("select outbox_emit(noise(1000), 'Made', '{}')"), "");
    for (const char* bytes : {"1001", "5000"}) {
        EXPECT_THAT(
            objection(std::string("select outbox_emit(noise(") + bytes + "), 'Made', '{}', 'key')"),
            HasSubstr("an_aggregate_id_is_short_enough"));
    }
    // Bytes count, not characters.
    EXPECT_THAT(objection("select outbox_emit(repeat('\u00e9', 501), 'Made', '{}')"),
                HasSubstr("an_aggregate_id_is_short_enough"));
}

} // namespace
} // namespace sagabox::store
