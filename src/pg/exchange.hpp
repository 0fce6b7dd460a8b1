#pragma once

#include "base/fault.hpp"
#include "pg/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <libpq-fe.h>

namespace sagabox::pg {

struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept
    {
        return std::hash<std::string_view>{}(name);
    }
};

/// Names of the statements that a server session has prepared.
using PreparedNames = std::unordered_set<std::string, NameHash, std::equal_to<>>;

/// What was sent in one implicit transaction, and what of it has been answered. Sends into libpq's
/// buffer and takes what has arrived; never waits.
class Exchange {
public:
    Exchange(PGconn* connection, PreparedNames* prepared, std::string_view where);

    /// Sends one statement; with its text first where this session has not prepared it yet. A
    /// statement without a name, or without `prepared`, is never prepared.
    void send(const Statement& statement, const Params& params);

    /// Sends a statement whose rows are of no interest to the caller.
    void send_unseen(const Statement& statement, const Params& params);

    /// Asks the server to answer what was sent, while the transaction stays open.
    void request_answers();

    /// Sends what the server must refuse, so that the coming Sync rolls back: `fault` is why.
    void spoil(Fault fault);

    /// Asks for the commit; after a fault, for the rollback.
    void sync();

    /// Takes all answers that have arrived.
    void take();

    /// Nothing more is to be waited for.
    [[nodiscard]] bool done() const;

    /// The connection failed, by libpq's word or by our deadline.
    void broke(Fault fault);

    [[nodiscard]] const std::optional<Fault>& fault() const { return fault_; }
    [[nodiscard]] std::vector<Rows>& rows() { return rows_; }

    /// The name of the statement that the next answer belongs to.
    [[nodiscard]] std::string_view current() const;

private:
    enum class Part : std::uint8_t { prepare, unseen, rows, spoiler, sync };
    struct Expected {
        Part part;
        std::string_view name;
    };

    void send_as(Part part, const Statement& statement, const Params& params);
    void sent(int accepted, Part part, std::string_view name);
    void take_one(const PGresult& result);
    void take_error(const PGresult& result);
    void end_of_one();

    PGconn* connection_;
    PreparedNames* prepared_;
    std::string_view where_;
    std::vector<Expected> expected_;
    std::size_t next_ = 0; ///< the first of `expected_` that has not been answered whole
    bool sync_sent_ = false;
    bool synced_ = false;
    std::vector<Rows> rows_;
    std::optional<Fault> fault_;
    std::vector<const char*> values_; ///< kept, so that a transaction allocates it once
};

/// The fault that an error result of the server stands for.
[[nodiscard]] Fault fault_of(const PGresult& result, std::string_view statement,
                             std::string_view where);

} // namespace sagabox::pg
