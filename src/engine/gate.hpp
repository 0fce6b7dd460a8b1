#pragma once

#include "base/scope.hpp"
#include "base/task.hpp"
#include "core/plan.hpp"
#include "core/saga.hpp"
#include "engine/breakers.hpp"
#include "engine/crowd.hpp"
#include "engine/db_clock.hpp"
#include "store/destinations.hpp"
#include "store/session.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace sagabox::engine {

/// Lets a worker's calls out: to destinations that have limits as these allow, and to any other as
/// long as it has not more than its share of the relay's room, so that one that hangs leaves room.
///
/// A call that does not fit now is sent away: its event waits in the database, with neither a lease
/// nor a retry spent, until a moment that the gate names. Rate, breaker and wish to be left alone
/// are shared by all relays through the database; calls under way are counted by each relay.
class Gate {
public:
    /// `share`: calls that this relay may have under way to one destination without limits.
    Gate(Executor executor, pg::Options database, const std::string& purpose, Crowd& crowd,
         DbClock& clock, int share);
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    struct Ask {
        std::string destination;
        core::Limits limits;
        bool waited = false; ///< its event comes back from waiting: it goes before those that don't
    };

    /// It may leave now. Kept until the answer has come.
    struct Pass {
        std::optional<Crowd::Place> place;
    };
    /// It comes back after this.
    struct SentAway {
        std::chrono::microseconds back_in{0};
        std::string why;
    };
    /// The relay stops.
    struct Closed {};
    using Answer = std::variant<Pass, SentAway, Closed>;

    /// Waits a moment where that helps, and for the database as long as it takes.
    [[nodiscard]] Task<Answer> enter(Ask ask);

    /// A place for a call to a destination without limits, at once; nothing: it has its share.
    [[nodiscard]] std::optional<Crowd::Place> share_of(const std::string& destination);

    /// The same, where a moment's wait helps.
    [[nodiscard]] Task<Answer> wait_for_share(std::string destination);

    /// Takes note of an answer, or of none, and writes down what it means for all relays.
    [[nodiscard]] Task<void> called(Ask ask, core::StepResult row);

    /// Nobody is let out any more; who waits is told `Closed`.
    void drain();

    /// Before the thread ends: an open connection would keep it. Everybody has been answered.
    [[nodiscard]] Task<void> close();

private:
    struct Wanting; ///< one who waits for an answer
    struct Door {
        std::deque<Wanting*> line;
        std::deque<Wanting*> asking;      ///< the database is being asked for these
        bool known = false;               ///< it has its row
        bool served = false;              ///< somebody asks for those in line
        std::optional<Instant> looked_at; ///< when the database was asked last
        std::optional<DbTime> shut_until; ///< as it said then
    };
    class Turn;
    struct InLine;
    Task<Turn> take_turn();
    Task<std::optional<Crowd::Place>> find_place(const std::string& destination, int capacity);
    Task<Answer> ask_for_moment(Ask ask, std::optional<Crowd::Place> place);
    Task<void> serve(std::string destination);
    Task<Result<void>> serve_once(std::string destination);
    Task<Result<store::PassAnswer>> ask_database(pg::Connection* connection,
                                                 std::string destination, core::Limits limits);
    Task<Result<void>> seek_probe(pg::Connection* connection, std::string destination,
                                  core::Limits limits, store::PassAnswer* answer);
    void let_go(Door& door, const core::Limits& limits, const store::PassAnswer& answer);
    [[nodiscard]] bool may_go_unasked(const Ask& ask);

    store::Session session_;
    Crowd& crowd_;
    DbClock& clock_;
    int share_;
    Executor executor_;
    Scope serving_;
    Breakers breakers_;
    std::map<std::string, Door> doors_;
    bool draining_ = false;
    bool session_taken_ = false; ///< a connection carries one statement at a time
    Signal session_free_;
};

} // namespace sagabox::engine
