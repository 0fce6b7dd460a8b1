#include "tests/store/store_fixture.hpp"

namespace sagabox::store {
namespace {

using Ids = std::vector<std::int64_t>;

class ClaimsTest : public StoreTest {
protected:
    void set(std::int64_t event, const std::string& columns)
    {
        sql.exec("update outbox_events set " + columns + " where id = " + std::to_string(event));
    }
    static constexpr const char* retrying =
        "claim_no = 1, next_retry_at = now() + interval '1 hour'";
    static constexpr const char* delayed = "next_retry_at = now() + interval '1 hour'";
    static constexpr const char* held = "status = 'PROCESSING', claim_no = 1, lease_owner = 'x', "
                                        "lease_expires_at = now() + interval '1 hour'";
    static constexpr const char* expired = "status = 'PROCESSING', claim_no = 1, "
                                           "lease_owner = 'x', lease_expires_at = now()";

    Result<Renewal> renew(const Claims& by, std::vector<Lease> leases)
    {
        return testing::run(context,
                            by.renew(*connection, std::move(leases), Deadline::after(patience)));
    }
};

TEST_F(ClaimsTest, take_one_event_of_an_aggregate_at_a_time)
{
    const auto first = emit("order-1");
    emit("order-1");
    const auto second = emit("order-2");
    EXPECT_EQ(ids_of(ready(claims)), (Ids{first, second}));
    EXPECT_EQ(ids_of(ready(other)), Ids{});
    EXPECT_EQ(ids_of(heads(other, {"order-1", "order-2"})), Ids{});
}

TEST_F(ClaimsTest, hand_an_aggregate_on_when_its_event_is_done)
{
    const auto first = emit("order-1");
    const auto second = emit("order-1");
    set(first, "status = 'PROCESSED'");
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{second});
}

TEST_F(ClaimsTest, wait_for_an_earlier_event_that_waits_for_a_retry)
{
    set(emit("order-1"), retrying);
    emit("order-1");
    EXPECT_EQ(ids_of(ready(claims)), Ids{});
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{});
}

TEST_F(ClaimsTest, do_not_wait_for_an_event_that_was_emitted_for_later)
{
    set(emit("order-1"), delayed);
    const auto second = emit("order-1");
    EXPECT_EQ(ids_of(ready(claims)), Ids{second});
}

TEST_F(ClaimsTest, wait_for_a_letter_at_work_and_not_for_one_that_is_a_person_s)
{
    const auto first = emit("order-1");
    set(first, "status = 'PROCESSED', moved_to_dlq = true");
    sql.exec("insert into dead_letter_events (original_event_id, aggregate_id, event_type, reason) "
             "values ($1, 'order-1', 'Made', 'MAX_RETRIES_EXCEEDED')",
             {std::to_string(first)});
    const auto second = emit("order-1");
    EXPECT_EQ(ids_of(ready(claims)), Ids{});
    sql.exec("update dead_letter_events set status = 'FAILED'");
    EXPECT_EQ(ids_of(ready(claims)), Ids{second});
}

TEST_F(ClaimsTest, let_a_cancel_overtake_only_what_waits_and_is_cancelled_by_it)
{
    const auto made = emit("order-1");
    set(made, retrying);
    const auto cancel = emit("order-1", "!Made");
    set(emit("order-2", "Other"), retrying);
    emit("order-2", "!Made");
    const auto busy = emit("order-3");
    set(busy, held);
    emit("order-3", "!Made");
    EXPECT_EQ(ids_of(ready(claims)), Ids{cancel});
}

TEST_F(ClaimsTest, let_nobody_profit_from_a_cancel_but_the_cancel)
{
    set(emit("order-1"), retrying);
    emit("order-1", "Other");
    emit("order-1", "!Made");
    EXPECT_EQ(ids_of(heads(claims, {"order-1"})), Ids{});
    EXPECT_EQ(ids_of(ready(claims)), Ids{});
}

TEST_F(ClaimsTest, take_a_lease_that_expired_and_count_the_death)
{
    const auto event = emit("order-1");
    set(event, expired);
    EXPECT_EQ(ids_of(ready(claims)), Ids{});
    const auto claimed = ready(claims, {.above = 0, .rows = 300, .take_expired = true});
    ASSERT_EQ(ids_of(claimed), Ids{event});
    EXPECT_EQ(claimed->held[0].lease.claim_no, 2);
    EXPECT_EQ(claimed->held[0].saga.own.event.deaths, 1);
}

TEST_F(ClaimsTest, take_an_event_that_is_marked_as_held_by_nobody)
{
    const auto event = emit("order-1");
    set(event, "status = 'PROCESSING'");
    EXPECT_EQ(ids_of(ready(claims, {.above = 0, .rows = 300, .take_expired = true})), Ids{event});
}

TEST_F(ClaimsTest, take_an_event_that_was_marked_by_hand_as_both_held_and_waiting)
{
    const auto event = emit("order-1");
    const auto busy = emit("order-2");
    set(event, std::string(expired) + ", next_retry_at = now()");
    set(busy, std::string(held) + ", next_retry_at = now()");
    EXPECT_EQ(ids_of(due(claims, false)), Ids{});
    const auto claimed = due(claims);
    ASSERT_EQ(ids_of(claimed), Ids{event});
    EXPECT_EQ(claimed->held[0].saga.own.event.deaths, 1);
    EXPECT_EQ(ids_of(due(claims)), Ids{});
}

TEST_F(ClaimsTest, find_a_small_id_that_was_committed_late_from_below_it)
{
    testing::Sql late(url);
    late.exec("begin");
    const std::int64_t small =
        std::stoll(late.one("insert into outbox_events (aggregate_id, event_type, payloads) "
                            "values ('order-1', 'Made', '{}') returning id"));
    const auto large = emit("order-2");
    EXPECT_EQ(ids_of(ready(claims)), Ids{large});
    late.exec("commit");
    EXPECT_EQ(ids_of(ready(claims, {.above = large})), Ids{});
    EXPECT_EQ(ids_of(ready(claims)), Ids{small});
}

TEST_F(ClaimsTest, pass_over_letters_that_wait_to_those_that_are_due)
{
    sql.exec("insert into dead_letter_events (original_event_id, aggregate_id, event_type, reason, "
             "next_retry_at) select i, 'order-' || i, 'Made', 'MAX_RETRIES_EXCEEDED', "
             "case when i < 500 then now() + interval '1 hour' end from generate_series(1, 500) i");
    EXPECT_EQ(ids_of(letters(claims)).size(), 1U);
}

TEST_F(ClaimsTest, renew_what_is_theirs_and_say_what_is_not)
{
    emit("order-1");
    const Lease lease = claim_one(claims);
    const auto renewal = renew(claims, {lease});
    ASSERT_TRUE(renewal.has_value()) << renewal.error().text();
    EXPECT_EQ(renewal->renewed, std::vector{lease});
    EXPECT_EQ(renew(other, {lease})->lost, std::vector{lease});
    Lease stale = lease;
    --stale.claim_no;
    const auto both = renew(claims, {stale, lease});
    EXPECT_EQ(both->lost, std::vector{stale});
    EXPECT_EQ(both->renewed, std::vector{lease});
}

TEST_F(ClaimsTest, renew_the_others_at_once_while_somebody_has_one_of_them_locked)
{
    emit("order-1");
    emit("order-2");
    const auto claimed = ready(claims);
    const Lease locked = claimed->held[0].lease;
    const Lease free = claimed->held[1].lease;
    testing::Sql person(url);
    person.exec("begin; select from outbox_events where aggregate_id = 'order-1' for update");
    const auto renewal = renew(claims, {locked, free});
    ASSERT_TRUE(renewal.has_value()) << renewal.error().text();
    EXPECT_EQ(renewal->renewed, std::vector{free});
    EXPECT_TRUE(renewal->lost.empty());
}

TEST_F(ClaimsTest, look_for_what_falls_due_past_what_never_does)
{
    set(emit("order-1"), "next_retry_at = 'infinity'");
    const auto never =
        testing::run(context, claims.next_due(*connection, Deadline::after(patience)));
    ASSERT_TRUE(never.has_value()) << never.error().text();
    EXPECT_FALSE(never->has_value());
}

} // namespace
} // namespace sagabox::store
