#include "tests/sim/world.hpp"

#include <algorithm>

namespace sagabox::sim {

namespace {

using Delivery = core::Answer::Delivery;

core::Answer answered(int status, std::string body)
{
    core::Answer answer;
    answer.delivery = Delivery::answered;
    answer.status = status;
    answer.headers.emplace_back("Content-Type", "application/json");
    answer.body = std::move(body);
    answer.duration = std::chrono::milliseconds(7);
    return answer;
}

core::Answer unanswered(Delivery delivery, std::string error)
{
    core::Answer answer;
    answer.delivery = delivery;
    answer.error = std::move(error);
    answer.duration = std::chrono::milliseconds(30);
    return answer;
}

bool names(const std::vector<core::StatusRange>& ranges, int status)
{
    return std::ranges::any_of(ranges, [status](const core::StatusRange& range) {
        return range.first <= status && status <= range.last;
    });
}

} // namespace

World::World(Dice& dice, const core::Plan& plan) : dice_(dice)
{
    for (const auto& [name, destination] : plan.destinations) {
        receivers_.emplace(name, Receiver{.honours_keys = !dice.chance(200),
                                          .forward = make_mood(dice),
                                          .revert = make_mood(dice)});
    }
}

World::Mood World::make_mood(Dice& dice)
{
    switch (dice.between(0, 9)) {
    case 0:
        return {.rejected = 0, .failed = 70, .unanswered = 0};
    case 1:
        return {.rejected = 40, .failed = 10, .unanswered = 10};
    case 2:
        return {.rejected = 0, .failed = 0, .unanswered = 70};
    case 3:
        return {.rejected = 5, .failed = 15, .unanswered = 15};
    case 4:
        return {.rejected = 20, .failed = 0, .unanswered = 40};
    default:
        return {.rejected = 1, .failed = 4, .unanswered = 3};
    }
}

Ledger& World::ledger(EventId event, const std::string& destination, int run)
{
    for (Ledger& known : ledgers_) {
        if (known.event == event && known.run == run && known.destination == destination) {
            return known;
        }
    }
    const auto receiver = receivers_.find(destination);
    Ledger fresh;
    fresh.event = event;
    fresh.destination = destination;
    fresh.run = run;
    fresh.honours_keys = receiver == receivers_.end() || receiver->second.honours_keys;
    return ledgers_.emplace_back(std::move(fresh));
}

core::Answer World::trouble(const core::Call& call, const Mood& mood, bool& takes_effect)
{
    int thrown = dice_.between(0, 99);
    takes_effect = false;
    if (thrown < mood.rejected) {
        static constexpr int refusals[] = {400, 404, 409, 422, 403, 301};
        const int status = refusals[dice_.below(std::size(refusals))];
        // A route that calls a refusal a success knows that its peer says so of work already done.
        takes_effect = names(call.classify.success, status) ||
                       (call.row.direction == core::Direction::revert && status == 404);
        return answered(status, R"({"error":"no"})");
    }
    thrown -= mood.rejected;
    if (thrown < mood.failed) {
        static constexpr int failures[] = {500, 503, 429, 408, 0};
        const int status = failures[dice_.below(std::size(failures))];
        if (status == 0) {
            return unanswered(Delivery::not_sent, "connection refused");
        }
        core::Answer answer = answered(status, "busy");
        if (status == 429 || (status == 503 && dice_.chance(500))) {
            static constexpr const char* delays[] = {"0", "2", "90", "abc", "-5"};
            answer.headers.emplace_back("Retry-After", delays[dice_.below(std::size(delays))]);
        }
        return answer;
    }
    thrown -= mood.failed;
    if (thrown < mood.unanswered) {
        takes_effect = dice_.chance(500);
        switch (dice_.between(0, 3)) {
        case 0: {
            core::Answer gateway = answered(dice_.chance(500) ? 502 : 504, "<html>");
            takes_effect = takes_effect && !names(call.classify.reject, gateway.status);
            return gateway;
        }
        case 1: {
            core::Answer cut = unanswered(Delivery::unanswered, "the answer was cut");
            cut.status = 200;
            cut.body = R"({"id":"wro)";
            return cut;
        }
        default:
            return unanswered(Delivery::unanswered, "timed out");
        }
    }
    takes_effect = true;
    return answered(0, "");
}

core::Answer World::good_news(Ledger& ledger)
{
    const std::string id = std::to_string(++last_id_);
    const std::string score = std::to_string(dice_.between(0, 99));
    switch (dice_.between(0, 15)) {
    case 0: {
        core::Answer text = answered(200, "OK");
        text.headers.front().second = "text/plain";
        return text;
    }
    case 1:
        return answered(204, "");
    case 2:
        return answered(200, R"({"id":null,"score":)" + score + "}");
    case 3:
    case 4: {
        // Beyond 2^53: a binary float on the way would name somebody else's effect.
        const std::string digits = "90071992547409" + std::to_string(10'000 + last_id_);
        ledger.ids.push_back(digits);
        return answered(201, R"({"id":)" + digits + R"(,"score":)" + score + "}");
    }
    default:
        ledger.ids.push_back("fx-" + id);
        return answered(200, R"({"id":"fx-)" + id + R"(","score":)" + score + "}");
    }
}

core::Answer World::receive(const core::Call& call, Holder holder)
{
    const core::StepResult& row = call.row;
    Ledger& ledger = this->ledger(row.event_id, row.destination, row.run);
    const bool forward = row.direction == core::Direction::forward;
    if (holder == Holder::entitled) {
        ++(forward ? ledger.forward_arrivals : ledger.revert_arrivals);
    }
    const Receiver& receiver = receivers_.find(row.destination)->second;

    bool takes_effect = false;
    core::Answer answer = trouble(call, forward ? receiver.forward : receiver.revert, takes_effect);
    const bool refused = answer.delivery == Delivery::answered && answer.status != 0 &&
                         answer.status < 500 && !takes_effect;

    if (forward) {
        ledger.route = row.route;
        const bool repeated = ledger.honours_keys && ledger.answer.has_value();
        if (!takes_effect && !(repeated && refused)) {
            return answer;
        }
        if (!repeated) {
            core::Answer good = good_news(ledger);
            ++ledger.effects;
            ++ledger.standing;
            ledger.touched_by_stale = ledger.touched_by_stale || holder == Holder::stale;
            ledger.answer = good;
        }
        // Whoever knows the key says what it said the first time, whatever its mood today.
        const bool whole = answer.status == 0 && answer.delivery == Delivery::answered;
        return whole || (repeated && refused) ? *ledger.answer : answer;
    }

    if (!takes_effect) {
        return answer;
    }
    const bool gone = ledger.standing == 0;
    if (!gone && holder == Holder::stale) {
        ledger.touched_by_stale = true;
    }
    ledger.standing = 0;
    if (answer.status != 0 || answer.delivery != Delivery::answered) {
        return answer;
    }
    if (gone && dice_.chance(500)) {
        return answered(dice_.chance(500) ? 404 : 410, "");
    }
    return dice_.chance(300) ? answered(204, "") : answered(200, R"({"undone":true})");
}

} // namespace sagabox::sim
