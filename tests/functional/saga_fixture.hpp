#pragma once

#include "tests/functional/relay_fixture.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace sagabox::testing {

inline Reply answer(int status, std::string body = "{}")
{
    return {.status = status,
            .headers = {{"Content-Type", "application/json"}},
            .body = std::move(body)};
}

inline Reply answer(int status, std::string_view header, std::string_view value)
{
    return {.status = status, .headers = {{std::string(header), std::string(value)}}};
}

inline Reply hanging()
{
    return {.manner = Reply::Manner::hang};
}

/// Sagas against the stub, and what is left of them in the tables.
class SagaTest : public RelayTest {
protected:
    /// `POST /a, DELETE /a/undo`: every arrival, in order.
    [[nodiscard]] std::string calls() const
    {
        std::string text;
        for (const Arrival& one : stub.arrivals()) {
            text += (text.empty() ? "" : ", ") + one.method + " " + one.target;
        }
        return text;
    }

    [[nodiscard]] std::size_t arrivals(std::string_view path) const
    {
        return stub.arrivals(path).size();
    }

    /// `a failed, a succeeded, b unknown`: what is written down, in order.
    [[nodiscard]] std::string results(const std::string& event) const
    {
        return sql->one(
            "select coalesce(string_agg(destination || ' ' || outcome, ', ' order by id), '') "
            "from aggregate_results where event_id = $1",
            {event});
    }

    /// A column of the event's row in `aggregate_results`, of its only or last attempt at a step.
    [[nodiscard]] std::string result(const std::string& event, const std::string& destination,
                                     const std::string& column) const
    {
        return sql->one("select " + column +
                            " from aggregate_results where event_id = $1 and destination = $2 "
                            "order by id desc limit 1",
                        {event, destination});
    }

    [[nodiscard]] std::string letter(const std::string& event, const std::string& column) const
    {
        return sql->one(
            "select " + column + " from dead_letter_events where original_event_id = $1", {event});
    }

    /// Waits until the event failed for good and its letter got as far as this.
    void await_end(const std::string& event, const std::string& letter_status) const
    {
        await_letter(event, letter_status);
        EXPECT_EQ(status_of(event), "PROCESSED");
    }

    /// As a person does who has mended what stood in the way.
    void give_back_letter(const std::string& event) const
    {
        sql->exec(
            "update dead_letter_events set status = 'PENDING', revert_retry_count = 0, deaths = 0, "
            "forgiven_up_to = (select coalesce(max(id), 0) from aggregate_results) "
            "where original_event_id = $1 and status = 'FAILED'",
            {event});
    }

    /// `Made` goes to a, b and c; each is undone by `DELETE /<name>/undo`. All answer well.
    [[nodiscard]] Config abc()
    {
        for (const std::string name : {"a", "b", "c"}) {
            stub.on("/" + name, answer(200));
            stub.on("/" + name + "/undo", answer(200));
        }
        Config text = config();
        for (const std::string name : {"a", "b", "c"}) {
            text.route(name, stub, Config::Revert::always);
        }
        return text.fanout("Made", {"a", "b", "c"});
    }
};

} // namespace sagabox::testing
