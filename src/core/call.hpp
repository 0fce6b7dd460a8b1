#pragma once

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "core/plan.hpp"
#include "core/saga.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::core {

/// A request ready to leave: nothing about it is decided later.
struct Request {
    std::string method;
    std::string url;
    Headers headers; ///< complete, save for the framing headers, which are the transport's
    std::optional<std::string> body; ///< JSON; none: the request has no body
    std::chrono::milliseconds timeout{30'000};
    bool follow_redirects = false;
    std::optional<Signing> sign; ///< as it leaves: the signature holds the time of sending
    std::shared_ptr<const Tls> tls;
};

/// One call that is to be made, and the row that it will become.
struct Call {
    Request request;
    StepResult row; ///< all but what only the answer can tell

    /// How the answer is to be read. Copied, so that a reload between call and answer is harmless.
    Classification classify;
    RetryAfterRule retry_after;
    Redaction redact;
};

/// What came back over the wire.
struct Answer {
    enum class Delivery : std::uint8_t {
        not_sent,   ///< the request never left: refused connection, unknown host, bad certificate
        unanswered, ///< it was sent, wholly or in part, and no whole answer came
        answered,   ///< a whole answer came, or the first MiB of one
    };

    Delivery delivery = Delivery::not_sent;
    int status = 0;
    Headers headers; ///< names as received
    std::string body;
    bool truncated = false; ///< the body went on after the limit and was cut there
    std::string error;      ///< plain words, for anything but `answered`
    std::chrono::milliseconds duration{0};
};

/// Reads an answer by the contract's section 5.5 and the route's own rules.
[[nodiscard]] Outcome classify(const Answer& answer, Direction direction,
                               const Classification& rules);

/// The row that `call` becomes with this answer. `now` is PostgreSQL's clock, as well as we know
/// it.
///
/// A body that is JSON is kept as JSON; any other as `{"raw": …, "contentType": …}`; a body of a
/// cut answer is kept for the reader, under `raw` too, and never used as a value. What
/// `call.redact` names is not kept; where it names anything, no `raw` text is, since nothing can be
/// found in it.
[[nodiscard]] StepResult record(const Call& call, const Answer& answer, DbTime now,
                                std::chrono::milliseconds max_retry_after);

/// Whether a stored answer is what `record` keeps of a cut one: fit to be read, never to be used.
[[nodiscard]] bool is_cut(const json::Value& response);

/// The body, path parameters, query and headers that an event's payloads hold for a destination.
/// An object whose keys all lie in `payload`, `pathParams`, `headers`, `query`, with `payload` or
/// `pathParams` among them, is an envelope; any other value is the body itself.
struct Envelope {
    json::Value body; ///< an empty object where the payloads have nothing for the destination
    bool present = false;
    json::Object path_params;
    json::Object query;
    json::Object headers;

    /// Why `pathParams`, `query` or `headers` can't be used (no object); empty: they can.
    std::string defect;
};
[[nodiscard]] Envelope envelope_for(const Event& event, std::string_view destination);
[[nodiscard]] bool is_envelope(const json::Value& sent);

/// `<event_uuid>:<destination>[.revert][:run]`: the same at each attempt (contract section 6).
[[nodiscard]] std::string idempotency_key(const Event& event, std::string_view destination,
                                          Direction direction);

/// Whether a route's condition holds: for the request body or, with `previousDestination`, for the
/// stored answer of that step, which is a null pointer where there is none.
[[nodiscard]] bool holds(const Condition& condition, const json::Value& body,
                         const json::Value* previous_answer);

/// The pause before attempt `attempt + 1`, never zero, saturating at `backoff.max`. `seed` places
/// the delay within the jitter band: the same seed, the same delay.
[[nodiscard]] std::chrono::milliseconds delay_after(int attempt, const Backoff& backoff,
                                                    std::uint64_t seed);

/// Builds the forward request for a step. Fails, with the reason, where the payloads lack a path
/// parameter or a header value holds CR, LF or NUL; no request may then leave.
///
/// Headers: ours, then the route's, then the envelope's; the later wins, save that nobody sets
/// `Idempotency-Key` or a framing header: such entries are dropped. Names and ids from outside that
/// stand in our own headers have their control characters and bytes beyond ASCII percent-encoded,
/// so no event is refused for its aggregate's name. GET and HEAD carry no body.
[[nodiscard]] Result<Request> build_forward(const Event& event, const Destination& destination,
                                            const Route& route);

/// The same, for a caller that has the event's envelope for the destination already.
[[nodiscard]] Result<Request> build_forward(const Event& event, const Destination& destination,
                                            const Route& route, const Envelope& envelope);

/// Builds the request that undoes `done`, a forward result of `event`. `sender` is the event on
/// whose behalf
/// (`event` itself, or the `!X`). Placeholders come from `done`'s request and response;
/// `{idempotencyKey}` is the forward step's key. Fails naming the placeholder where a value is
/// missing. Keys carry `done`'s run, so one effect has one undo key, whichever run sends it.
[[nodiscard]] Result<Request> build_revert(const Event& event, const Event& sender,
                                           const StepResult& done, const Revert& revert);

/// Whether a revert can be built without anything from an answer.
[[nodiscard]] bool needs_response(const Revert& revert);

} // namespace sagabox::core
