#include "store/flush.hpp"
#include "tests/store/store_fixture.hpp"

#include <optional>
#include <thread>

namespace sagabox::store {
namespace {

Task<void> write_into(Journal& journal, Entry entry, std::optional<Written>& written)
{
    written = co_await journal.write(std::move(entry));
}

Task<void> cancel_and_join(Scope& scope)
{
    scope.cancel();
    const Deadline forever{Instant::max()};
    co_await scope.join(forever);
}

class JournalTest : public StoreTest {
protected:
    JournalTest() { loops.start(journal.run()); }
    ~JournalTest() override { testing::run(context, cancel_and_join(loops)); }

    /// Hands all over at once, so that they share a flush, and waits for each.
    std::vector<Written> write(std::vector<Entry> entries)
    {
        std::vector<std::optional<Written>> slots(entries.size());
        Scope writers(context.get_executor(), "writers");
        for (std::size_t i = 0; i < entries.size(); ++i) {
            writers.start(write_into(journal, std::move(entries[i]), slots[i]));
        }
        const Deadline deadline = Deadline::after(patience);
        const bool all = testing::run(context, writers.join(deadline));
        if (!all) {
            testing::run(context, cancel_and_join(writers));
            throw std::runtime_error("an entry was not written in time");
        }
        std::vector<Written> written;
        for (std::optional<Written>& slot : slots) {
            written.push_back(std::move(*slot));
        }
        return written;
    }
    Written write(Entry entry)
    {
        std::vector<Entry> one;
        one.push_back(std::move(entry));
        return write(std::move(one)).front();
    }

    /// Two aggregates' events, taken.
    std::vector<Lease> two_leases()
    {
        emit("order-1");
        emit("order-2");
        const Result<Claimed> claimed = ready(claims);
        return {claimed->held[0].lease, claimed->held[1].lease};
    }

    Entry finished(const Lease& lease, std::string outcome_sql = {})
    {
        Entry entry = entry_for(lease);
        entry.rows.push_back(row_of(lease.id, "a"));
        entry.settlement = Settlement(Finished{});
        entry.outcome_sql = std::move(outcome_sql);
        return entry;
    }

    [[nodiscard]] std::string rows() { return sql.one("select count(*) from aggregate_results"); }

    Session session{context.get_executor(), options(), "journal"};
    Journal journal{session, "worker-1"};
    Scope loops{context.get_executor(), "journal"};
};

TEST_F(JournalTest, writes_rows_and_settlement_of_an_entry_together)
{
    emit("order-1");
    const Lease lease = claim_one(claims);
    EXPECT_EQ(write(finished(lease)).state, Written::State::written);
    EXPECT_EQ(status_of(lease.id), "PROCESSED");
    EXPECT_EQ(rows(), "1");
}

TEST_F(JournalTest, writes_nothing_under_a_claim_that_is_another_s)
{
    emit("order-1");
    Lease lease = claim_one(claims);
    ++lease.claim_no;
    EXPECT_EQ(write(finished(lease)).state, Written::State::lease_lost);
    EXPECT_EQ(status_of(lease.id), "PROCESSING");
    EXPECT_EQ(rows(), "0");
}

TEST_F(JournalTest, writes_once_what_waited_while_its_session_was_ended)
{
    const std::vector<Lease> leases = two_leases();
    Entry first = entry_for(leases[0]);
    first.rows.push_back(row_of(leases[0].id, "a"));
    EXPECT_EQ(write(first).state, Written::State::written);
    sql.exec("select pg_terminate_backend(pid) from pg_stat_activity "
             "where application_name = 'sagabox journal'");
    EXPECT_EQ(write({finished(leases[0]), finished(leases[1])})[1].state, Written::State::written);
    EXPECT_EQ(rows(), "3");
    EXPECT_EQ(status_of(leases[0].id), "PROCESSED");
}

TEST_F(JournalTest, finds_out_what_a_commit_without_a_confirmation_has_written)
{
    const std::vector<Lease> leases = two_leases();
    const Entry there = finished(leases[0]);
    const Entry missing = finished(leases[1]);
    const std::string owner = "worker-1";
    const Flush flush(owner, {&there});
    const auto done =
        testing::run(context, connection->transact(flush.first(), Deadline::after(patience)));
    ASSERT_TRUE(done.has_value()) << done.error().text();
    const Reconciliation question(owner, {&there, &missing});
    const auto found =
        testing::run(context, connection->transact(question.queries(), Deadline::after(patience)));
    ASSERT_TRUE(found.has_value()) << found.error().text();
    EXPECT_EQ(question.read(*found), (std::vector<bool>{true, false}));
}

TEST_F(JournalTest, does_not_take_a_forgiven_attempt_for_one_of_the_same_number)
{
    emit("order-1");
    const Lease lease = claim_one(claims);
    Entry entry = entry_for(lease);
    entry.rows.push_back(row_of(lease.id, "a"));
    EXPECT_EQ(write(entry).state, Written::State::written);
    sql.exec("update outbox_events set forgiven_up_to = (select max(id) from aggregate_results)");
    const std::string owner = "worker-1";
    const Reconciliation question(owner, {&entry});
    const auto found =
        testing::run(context, connection->transact(question.queries(), Deadline::after(patience)));
    ASSERT_TRUE(found.has_value()) << found.error().text();
    EXPECT_EQ(question.read(*found), std::vector<bool>{false});
}

TEST_F(JournalTest, writes_nothing_while_an_earlier_flush_of_its_own_is_still_under_way)
{
    emit("order-1");
    const Lease lease = claim_one(claims);
    testing::Sql earlier(url);
    earlier.exec("begin; select pg_advisory_xact_lock(hashtextextended('worker-1', 7316))");
    Entry entry = entry_for(lease);
    entry.rows.push_back(row_of(lease.id, "a"));
    std::optional<Written> written;
    Scope writers(context.get_executor(), "writers");
    writers.start(write_into(journal, std::move(entry), written));
    std::string seen;
    std::thread releaser([this, &earlier, &seen] {
        testing::Sql look(url);
        look.await("select count(*) from pg_stat_activity where wait_event = 'advisory' and "
                   "application_name = 'sagabox journal'",
                   "1");
        seen = look.one("select count(*) from aggregate_results");
        earlier.exec("commit");
    });
    EXPECT_TRUE(testing::run(context, writers.join(Deadline::after(patience))));
    releaser.join();
    EXPECT_EQ(seen, "0");
    EXPECT_EQ(rows(), "1");
}

TEST_F(JournalTest, keeps_back_only_the_entry_whose_outcome_statement_fails)
{
    const std::vector<Lease> leases = two_leases();
    const auto written = write({finished(leases[0], "select 1/0"), finished(leases[1])});
    EXPECT_EQ(written[0].state, Written::State::refused);
    EXPECT_EQ(written[1].state, Written::State::written);
    EXPECT_EQ(status_of(leases[0].id), "PROCESSING");
    EXPECT_EQ(rows(), "1");
}

TEST_F(JournalTest, keeps_back_only_the_entry_whose_outcome_statement_hangs_on_a_lock)
{
    const std::vector<Lease> leases = two_leases();
    sql.exec("create table orders (id int); insert into orders values (1)");
    testing::Sql forgotten(url);
    forgotten.exec("begin; update orders set id = id");
    const Instant begun = std::chrono::steady_clock::now();
    const auto written =
        write({finished(leases[0], "update orders set id = id"), finished(leases[1])});
    EXPECT_EQ(written[0].state, Written::State::refused);
    EXPECT_EQ(written[1].state, Written::State::written);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 12s);
    EXPECT_EQ(rows(), "1");
}

TEST_F(JournalTest, keeps_back_only_the_entry_whose_outcome_statement_never_ends)
{
    const std::vector<Lease> leases = two_leases();
    const auto written = write({finished(leases[0], "select pg_sleep(60)"), finished(leases[1])});
    EXPECT_EQ(written[0].state, Written::State::refused);
    EXPECT_EQ(written[1].state, Written::State::written);
}

TEST_F(JournalTest, keeps_back_only_the_entry_whose_outcome_statement_asks_to_be_repeated_for_ever)
{
    for (const std::string code : {"40001", "40P01", "08006", "53100"}) {
        sql.exec("truncate outbox_events");
        const std::vector<Lease> leases = two_leases();
        sql.exec("create or replace function again() returns void language plpgsql as $$ begin "
                 "raise exception 'again' using errcode = '" +
                 code + "'; end $$");
        const auto written = write({finished(leases[0], "select again()"), finished(leases[1])});
        EXPECT_EQ(written[0].state, Written::State::refused) << code;
        EXPECT_EQ(written[1].state, Written::State::written) << code;
    }
}

TEST_F(JournalTest, runs_an_outcome_statement_only_for_an_entry_that_takes_effect)
{
    const std::vector<Lease> leases = two_leases();
    sql.exec("create table told (event bigint)");
    Lease lost = leases[0];
    ++lost.claim_no;
    const std::string tell = "insert into told values (:event_id::bigint)";
    const auto written = write({finished(lost, tell), finished(leases[1], tell)});
    EXPECT_EQ(written[0].state, Written::State::lease_lost);
    EXPECT_EQ(sql.one("select string_agg(event::text, ' ') from told"),
              std::to_string(leases[1].id));
}

TEST_F(JournalTest, lets_no_row_that_PostgreSQL_will_not_have_hold_up_the_others)
{
    const std::vector<Lease> leases = two_leases();
    sql.exec("create function no() returns trigger language plpgsql as $$ begin "
             "raise exception 'not this one'; end $$;"
             "create trigger no before update on outbox_events for each row "
             "when (new.aggregate_id = 'order-1' and new.status = 'PROCESSED') "
             "execute function no()");
    std::optional<Written> stuck;
    Scope writers(context.get_executor(), "writers");
    writers.start(write_into(journal, finished(leases[0]), stuck));
    EXPECT_EQ(write(finished(leases[1])).state, Written::State::written);
    EXPECT_FALSE(stuck.has_value());
    sql.exec("drop trigger no on outbox_events");
    EXPECT_TRUE(testing::run(context, writers.join(Deadline::after(patience))));
    EXPECT_EQ(stuck->state, Written::State::written);
    EXPECT_EQ(rows(), "2");
}

TEST_F(JournalTest, says_that_a_cancel_waits)
{
    emit("order-1");
    const Lease lease = claim_one(claims);
    emit("order-1", "!Made");
    Entry entry = entry_for(lease);
    entry.rows.push_back(row_of(lease.id, "a"));
    EXPECT_TRUE(write(entry).cancel_waiting);
}

TEST_F(JournalTest, forgets_lost_workers_once_something_is_written_down)
{
    emit("order-1");
    sql.exec("update outbox_events set status = 'PROCESSING', claim_no = 1, deaths = 1");
    const Result<Claimed> claimed = ready(claims, {.above = 0, .rows = 300, .take_expired = true});
    ASSERT_EQ(claimed->held.size(), 1U);
    EXPECT_EQ(claimed->held[0].saga.own.event.deaths, 2);
    Entry entry = entry_for(claimed->held[0].lease);
    entry.rows.push_back(row_of(entry.lease.id, "a"));
    entry.had_deaths = true;
    EXPECT_EQ(write(entry).state, Written::State::written);
    EXPECT_EQ(sql.one("select deaths from outbox_events"), "0");
}

} // namespace
} // namespace sagabox::store
