#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace sagabox {

/// Something that the world did to us: a lost connection, a refused statement, a full disk.
///
/// A fault has properties instead of subclasses. Each answers one question that a caller must ask
/// before it goes on. The text is for a person: what failed, where, and what cures it.
class [[nodiscard]] Fault {
public:
    enum class Kind {
        connection, ///< the peer is not there, or went away; a fresh connection may work
        conflict,   ///< serialization failure or deadlock (SQLSTATE 40001, 40P01): do it again
        read_only,  ///< the server does not accept writes (25006): another host may
        timeout,    ///< our own deadline passed
        refused,    ///< the peer understood and said no: a constraint, a bad statement, no rights
        bad_input,  ///< what we were given cannot be used: a file, an address, a value
        stopped,    ///< we are shutting down
    };

    Fault(Kind kind, std::string text, std::string code = {})
        : kind_(kind), text_(std::move(text)), code_(std::move(code))
    {
    }

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] const std::string& text() const { return text_; }

    /// The peer's own code where it gave one: a SQLSTATE, for example.
    [[nodiscard]] const std::string& code() const { return code_; }

    /// The same request may succeed later, unchanged.
    [[nodiscard]] bool retryable() const
    {
        return kind_ != Kind::refused && kind_ != Kind::bad_input && kind_ != Kind::stopped;
    }

    /// The connection that it happened on is of no further use.
    [[nodiscard]] bool breaks_connection() const
    {
        return kind_ == Kind::connection || kind_ == Kind::read_only || kind_ == Kind::timeout;
    }

    /// The request may have taken effect although no answer came.
    [[nodiscard]] bool outcome_unknown() const { return outcome_unknown_; }
    Fault& mark_outcome_unknown()
    {
        outcome_unknown_ = true;
        return *this;
    }

private:
    Kind kind_;
    std::string text_;
    std::string code_;
    bool outcome_unknown_ = false;
};

/// A value, or the fault that kept us from it.
template <class T>
using Result = tl::expected<T, Fault>;

/// Shorthand for `return fail(Fault::Kind::timeout, "…")` in a function that returns a `Result`.
[[nodiscard]] inline tl::unexpected<Fault> fail(Fault::Kind kind, std::string text,
                                                std::string code = {})
{
    return tl::unexpected<Fault>(Fault(kind, std::move(text), std::move(code)));
}
[[nodiscard]] inline tl::unexpected<Fault> fail(Fault fault)
{
    return tl::unexpected<Fault>(std::move(fault));
}

} // namespace sagabox
