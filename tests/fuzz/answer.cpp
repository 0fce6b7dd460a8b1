#include "core/call.hpp"

#include "mail/http_provider.hpp"
#include "tests/fuzz/target.hpp"

#include <charconv>

namespace sagabox::fuzz {

namespace {

core::Answer make_answer(std::string_view input)
{
    const auto parts = pieces(input, 4);
    core::Answer answer;
    std::string_view status = parts[0];
    answer.truncated = status.starts_with('~');
    answer.delivery = status.starts_with('!')   ? core::Answer::Delivery::unanswered
                      : status.starts_with('?') ? core::Answer::Delivery::not_sent
                                                : core::Answer::Delivery::answered;
    status.remove_prefix(std::min<std::size_t>(status.find_first_of("0123456789"), status.size()));
    (void)std::from_chars(status.data(), status.data() + status.size(), answer.status);
    // What is no three digits is refused by the transport.
    answer.status = answer.status % 500 + 100;
    answer.headers = {{"retry-after", std::string(parts[1])},
                      {"content-type", std::string(parts[2])}};
    answer.body = std::string(parts[3]);
    answer.error = std::string(parts[2]);
    return answer;
}

core::Call make_call()
{
    core::Call call;
    call.row.destination = "pay";
    call.retry_after.json_path = *json::Path::compile("$..retryAfter");
    call.retry_after.from_body = true;
    call.retry_after.fallback = std::chrono::seconds{30};
    return call;
}

void check_row(const core::StepResult& row, const core::Answer& answer,
               std::chrono::milliseconds cap)
{
    const bool whole = answer.delivery == core::Answer::Delivery::answered;
    const bool good = whole && answer.status >= 200 && answer.status < 300;
    require((row.outcome == core::Outcome::succeeded) == good,
            "the status alone says whether it succeeded");
    if (answer.delivery == core::Answer::Delivery::unanswered) {
        require(row.outcome == core::Outcome::unknown, "what got no answer is unknown");
    }
    if (row.retry_after) {
        require(row.retry_after->count() >= 0 && *row.retry_after <= cap,
                "a pause lies between zero and the cap");
    }
    require(json::to_storable_text(row.error) == row.error, "an error can be stored");
    require(row.response.has_value() == !answer.body.empty(), "an answer is kept");
    if (row.response) {
        const std::string written = json::write(*row.response);
        require(json::to_storable_text(written) == written, "what is kept can be stored");
        const auto read = json::parse(written);
        require(read && *read == *row.response, "what is kept is read as it was");
        require(!answer.truncated || core::is_cut(*row.response), "a cut answer is known as one");
    }
}

} // namespace

void answer(std::string_view input)
{
    using namespace std::chrono_literals;
    static const core::Call call = make_call();
    const core::Answer answer = make_answer(input);
    const DbTime now{std::chrono::seconds{1'796'108'400}};
    constexpr std::chrono::milliseconds cap = 1h;
    check_row(core::record(call, answer, now, cap), answer, cap);

    static const core::HttpMailProvider provider = [] {
        core::HttpMailProvider made;
        made.accepted = *json::Path::compile("$.accepted[*]");
        made.refused = *json::Path::compile("$.refused[*]");
        return made;
    }();
    const std::vector<std::string> recipients = {"a@x.example", "b@x.example"};
    const core::MailAnswer read = mail::read_http_answer(provider, recipients, answer);
    require(read.recipients.size() == recipients.size(), "each recipient has a reply");
    for (std::size_t i = 0; i < recipients.size(); ++i) {
        const int code = read.recipients[i].reply.code;
        require(read.recipients[i].address == recipients[i], "replies are in order");
        require(code == 0 || code == 250 || code == 450 || code == 550, "a reply has a known code");
    }
}

} // namespace sagabox::fuzz
