#pragma once

#include "pg/connection.hpp"
#include "pg/value.hpp"
#include "store/entry.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace sagabox::store {

/// One transaction of the journal: the statements for a batch of entries, and what their rows mean.
class Flush {
public:
    Flush(const std::string& owner, std::vector<const Entry*> entries);

    /// The statements whose rows decide which entries still hold their lease.
    [[nodiscard]] std::vector<pg::Query> first() const { return queries_; }

    /// The outcome SQL of the entries that took effect, given the rows of `first`. The queries
    /// refer to this object.
    [[nodiscard]] std::vector<pg::Query> outcomes(const std::vector<pg::Rows>& rows);

    /// What became of each entry, in the order given.
    [[nodiscard]] std::vector<Written> read(const std::vector<pg::Rows>& rows) const;

private:
    enum class Part : std::uint8_t { results, settled, given_up, cancels, ignored };
    struct Sent {
        Part part;
        std::vector<std::size_t> entries; ///< whom the statement is about
        Lease::On on = Lease::On::event;
    };

    void add_results();
    void add_settlements();
    void add_settlement_group(pg::Statement statement, const std::vector<std::size_t>& group,
                              Part part);
    void add_cancel_finish(std::size_t entry, const Finished& finished);
    void add_cleared_deaths();
    void add_cancel_watch();
    void add(Sent sent, pg::Query query);
    [[nodiscard]] std::vector<bool> effective(const std::vector<pg::Rows>& rows) const;

    const std::string& owner_;
    std::vector<const Entry*> entries_;
    std::deque<std::string> outcome_texts_;
    std::vector<Sent> sent_;
    std::vector<pg::Query> queries_;
};

/// Finds out which entries of a flush took effect, when its commit was not confirmed. Waits for
/// that flush where the server is busy with it still.
class Reconciliation {
public:
    Reconciliation(const std::string& owner, std::vector<const Entry*> entries);

    [[nodiscard]] std::vector<pg::Query> queries() const;

    /// For each entry, whether all of it is in the database.
    [[nodiscard]] std::vector<bool> read(const std::vector<pg::Rows>& rows) const;

private:
    const std::string& owner_;
    std::vector<const Entry*> entries_;
};

} // namespace sagabox::store
