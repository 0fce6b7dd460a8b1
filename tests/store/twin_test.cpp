#include "tests/store/store_fixture.hpp"

namespace sagabox::store {
namespace {

using Ids = std::vector<std::int64_t>;

/// Two events of one type, the first of which waits for its retry, and a cancel of both behind.
class TwinTest : public StoreTest {
protected:
    void set(std::int64_t event, const std::string& columns)
    {
        sql.exec("update outbox_events set " + columns + " where id = " + std::to_string(event));
    }

    void emit_twins()
    {
        first = emit("order-1");
        second = emit("order-1");
        set(first, "claim_no = 1, next_retry_at = now() + interval '1 hour'");
    }

    std::int64_t first = 0;
    std::int64_t second = 0;
};

TEST_F(TwinTest, that_waits_behind_a_retry_hides_no_cancel_of_both_from_a_scan)
{
    emit_twins();
    EXPECT_EQ(ids_of(ready(claims)), Ids{});
    const auto cancel = emit("order-1", "!Made");
    EXPECT_EQ(ids_of(ready(claims)), Ids{cancel});
    EXPECT_EQ(ids_of(ready(claims)), Ids{});
}

TEST_F(TwinTest, that_waits_behind_a_retry_hides_no_cancel_of_both_when_the_aggregate_is_freed)
{
    emit_twins();
    emit("order-1");
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{});
    const auto cancel = emit("order-1", "!Made");
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{cancel});
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{});
}

TEST_F(TwinTest, that_waits_behind_a_retry_hides_no_cancel_that_falls_due)
{
    emit_twins();
    const auto cancel = emit("order-1", "!Made");
    set(cancel, "next_retry_at = now()");
    EXPECT_EQ(ids_of(due(claims)), Ids{cancel});
}

TEST_F(TwinTest, that_waits_behind_a_retry_hides_no_cancel_where_no_order_is_asked_for)
{
    emit_twins();
    set(second, "claim_no = 1, next_retry_at = now() + interval '1 hour'");
    const auto cancel = emit("order-1", "!Made");
    const Claims unordered("worker-3", 30s, Claims::Order::none);
    EXPECT_EQ(ids_of(ready(unordered)), Ids{cancel});
}

TEST_F(TwinTest, of_another_type_between_holds_the_cancel_up)
{
    first = emit("order-1");
    set(first, "claim_no = 1, next_retry_at = now() + interval '1 hour'");
    emit("order-1");
    emit("order-1", "Other");
    emit("order-1", "!Made");
    EXPECT_EQ(ids_of(ready(claims)), Ids{});
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{});
}

TEST_F(TwinTest, that_is_at_work_holds_the_cancel_up)
{
    emit_twins();
    set(first, "status = 'PROCESSING', next_retry_at = null, lease_owner = 'x', "
               "lease_expires_at = now() + interval '1 hour'");
    emit("order-1", "!Made");
    EXPECT_EQ(ids_of(ready(claims)), Ids{});
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{});
}

TEST_F(TwinTest, that_may_begin_itself_goes_before_the_cancel_and_alone)
{
    first = emit("order-1");
    emit("order-1");
    emit("order-1", "!Made");
    EXPECT_EQ(ids_of(ready(claims)), Ids{first});
    set(first, "status = 'PENDING', lease_owner = null");
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{first});
}

TEST_F(TwinTest, behind_one_for_later_that_was_never_begun_goes_before_the_cancel)
{
    emit_twins();
    set(first, "claim_no = 0");
    emit("order-1", "!Made");
    EXPECT_EQ(ids_of(ready(claims)), Ids{second});
}

TEST_F(TwinTest, costs_aggregates_beside_it_nothing)
{
    emit_twins();
    const auto cancel = emit("order-1", "!Made");
    const auto plain = emit("order-2");
    emit("order-2");
    const auto third = emit("order-3", "!Made");
    EXPECT_EQ(ids_of(ready(claims)), (Ids{cancel, plain, third}));
}

} // namespace
} // namespace sagabox::store
