#include "tests/torture/services.hpp"

#include "tests/torture/shop.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sagabox::torture {

using testing::Arrival;
using testing::Reply;
using namespace std::chrono_literals;

namespace {

Reply json_answer(int status, std::string body)
{
    return {.status = status,
            .headers = {{"Content-Type", "application/json"}},
            .body = std::move(body)};
}

Reply asking_for_pause(int status, Dice& dice)
{
    Reply reply{.status = status};
    if (dice.chance(50)) {
        reply.headers.emplace_back("Retry-After", dice.chance(70) ? "0" : "1");
    }
    return reply;
}

/// `id=17` gives `17`, with percent signs undone.
std::string argument_of(const std::string& target)
{
    const std::size_t at = target.find('=');
    std::string value;
    for (std::size_t i = at == std::string::npos ? target.size() : at + 1; i < target.size(); ++i) {
        if (target[i] == '%' && i + 2 < target.size()) {
            value += static_cast<char>(std::stoi(target.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            value += target[i];
        }
    }
    return value;
}

constexpr auto longer_than_any_timeout = 1500ms;

/// How long after a fault a pause may be its doing.
constexpr auto stall_window = 5s;

} // namespace

Services::Services(std::uint64_t seed) : seed_(seed)
{
    for (const std::string& destination : shop::destinations()) {
        for (const std::string& path : shop::paths_of(destination)) {
            server_.on(path, [this, destination](const Arrival& call) {
                return forward(destination, call);
            });
        }
        server_.on(shop::undo_path_of(destination),
                   [this, destination](const Arrival& call) { return undo(destination, call); });
    }
}

void Services::mark(const std::string& fault)
{
    const std::scoped_lock lock(mutex_);
    faults_.emplace_back(fault, Clock::now());
}

std::chrono::milliseconds Services::stall_after(Clock::time_point fault) const
{
    const Clock::time_point end = fault + stall_window;
    Clock::time_point last = fault;
    Clock::duration longest{0};
    for (auto at = std::upper_bound(effect_times_.begin(), effect_times_.end(), fault);
         at != effect_times_.end() && last < end; ++at) {
        longest = std::max(longest, *at - last);
        last = *at;
    }
    return std::chrono::duration_cast<std::chrono::milliseconds>(longest);
}

Seen& Services::note(const Arrival& call)
{
    ++arrived_;
    const std::string key = call.header("Idempotency-Key");
    Seen& seen = seen_[key];
    if (key.empty() || call.count_of("Idempotency-Key") != 1) {
        complaints_.push_back(fmt::format("{} {} came without one key", call.method, call.target));
    }
    seen.aggregate = call.header("X-Aggregate-Id");
    seen.event_id = call.header("X-Event-Id");
    if (++seen.arrivals == 1) {
        seen.first_at = call.at;
    }
    return seen;
}

std::optional<Reply> Services::misbehave(Dice& dice, bool stuck, bool& may_act)
{
    if (!stuck && !dice.chance(trouble_)) {
        return std::nullopt;
    }
    may_act = dice.chance(50);
    Reply reply;
    switch (dice.between(0, 9)) {
    case 0:
        reply.manner = Reply::Manner::close;
        return reply;
    case 1:
        reply.manner = Reply::Manner::reset;
        return reply;
    case 2:
        reply.manner = Reply::Manner::garbage;
        reply.body = "220 this is no web server\r\n";
        return reply;
    case 3:
        reply = json_answer(200, R"({"id":"never to be believed","risk":99})");
        reply.manner = dice.chance(50) ? Reply::Manner::cut_body : Reply::Manner::cut_chunks;
        return reply;
    case 4:
        reply.manner = Reply::Manner::cut_headers;
        return reply;
    case 5: // hangs
        reply.delay = longer_than_any_timeout;
        return reply;
    case 6: // drips for longer than anybody waits
        reply = json_answer(200, R"({"id":"too late"})");
        reply.drip = dice.chance(50) ? Reply::Drip::headers : Reply::Drip::body;
        reply.drip_interval = 100ms;
        return reply;
    case 7:
        return asking_for_pause(dice.chance(50) ? 502 : 504, dice);
    default:
        // A definite no: nothing was done.
        may_act = false;
        return asking_for_pause(dice.pick(std::vector<int>{500, 503, 429, 408}), dice);
    }
}

Reply Services::forward(const std::string& destination, const Arrival& call)
{
    const std::scoped_lock lock(mutex_);
    note(call);
    const std::string key = call.header("Idempotency-Key");
    const std::string aggregate = call.header("X-Aggregate-Id");
    const std::string lot = fmt::format("{} {}", aggregate, destination);
    Dice dice(seed_of(seed_, fmt::format("{} {}", lot, ++nth_[lot])));
    const shop::Fate fate = shop::fate_of(seed_, aggregate);

    Effect& effect = effects_[key];
    if (effect.key.empty()) {
        effect.key = key;
        effect.destination = destination;
        effect.aggregate = aggregate;
        effect.event_type = call.header("X-Event-Type");
        effect.event_id = call.header("X-Event-Id");
        effect.path = call.target;
    } else if (effect.applied != 0 && effect.path != call.target) {
        complaints_.push_back(
            fmt::format("key {} came at {} and at {}", key, effect.path, call.target));
    }
    const bool given_up_here = effect.applied == 0 && effect.undone != 0;
    bool act = true;
    std::optional<Reply> instead = misbehave(dice, fate.stuck == destination, act);
    if (effect.applied == 0 && !instead && (fate.refusing == destination || given_up_here)) {
        return json_answer(dice.pick(std::vector<int>{400, 409, 422}), R"({"error":"refused"})");
    }
    if (act && effect.applied == 0 && !given_up_here && fate.refusing != destination) {
        effect.applied = ++happenings_;
        effect.answer_id = fmt::format("{}/{}", destination, effect.applied);
        key_of_answer_[effect.answer_id] = key;
        effect_times_.push_back(Clock::now());
    }
    if (instead) {
        return *instead;
    }
    Reply reply = json_answer(
        dice.chance(80) ? 200 : 201,
        fmt::format(R"({{"id":"{}","risk":{},"amount":100.10}})", effect.answer_id, fate.risk));
    if (dice.chance(10)) {
        reply.delay = std::chrono::milliseconds(dice.between(50, 600));
    } else if (dice.chance(5)) {
        reply.drip = Reply::Drip::body;
        reply.drip_interval = 3ms;
    } else if (dice.chance(10)) {
        reply.manner = Reply::Manner::chunked;
    }
    reply.close_after = dice.chance(5);
    return reply;
}

Reply Services::undo(const std::string& destination, const Arrival& call)
{
    const std::scoped_lock lock(mutex_);
    note(call);
    const std::string aggregate = call.header("X-Aggregate-Id");
    const std::string lot = fmt::format("{} {} undo", aggregate, destination);
    Dice dice(seed_of(seed_, fmt::format("{} {}", lot, ++nth_[lot])));
    std::string key = argument_of(call.target);
    if (shop::undo_of(destination) == shop::Undo::by_answer) {
        const auto known = key_of_answer_.find(key);
        if (known == key_of_answer_.end()) {
            complaints_.push_back(
                fmt::format("{} was to undo {}, which it never did for anybody", destination, key));
            return {.status = 404};
        }
        key = known->second;
    }
    if (call.header("Idempotency-Key") != key + ".revert") {
        complaints_.push_back(fmt::format("what {} did is undone under the key {}", key,
                                          call.header("Idempotency-Key")));
    }
    bool act = true;
    std::optional<Reply> instead = misbehave(dice, false, act);
    Effect& effect = effects_[key];
    if (effect.undone == 0 && shop::fate_of(seed_, aggregate).kept == destination &&
        effect.applied != 0) {
        return instead && !act ? *instead : json_answer(422, R"({"error":"kept"})");
    }
    const bool was_there = effect.applied != 0;
    if (act && effect.undone == 0) {
        effect.undone = ++happenings_;
        effect.undone_for = call.header("X-Event-Id");
        if (was_there) {
            effect_times_.push_back(Clock::now());
        }
    }
    if (instead) {
        return *instead;
    }
    return {.status = was_there ? 204 : 404};
}

Services::Account Services::account() const
{
    const std::scoped_lock lock(mutex_);
    Account account;
    for (const auto& [key, effect] : effects_) {
        if (effect.applied != 0) {
            account.effects.push_back(effect);
        }
    }
    std::sort(account.effects.begin(), account.effects.end(),
              [](const Effect& a, const Effect& b) { return a.applied < b.applied; });
    account.arrivals = seen_;
    account.complaints = complaints_;
    for (const auto& [fault, at] : faults_) {
        account.stalls[fault].push_back(stall_after(at));
    }
    return account;
}

} // namespace sagabox::torture
