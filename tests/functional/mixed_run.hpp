#pragma once

#include "tests/functional/saga_fixture.hpp"

#include <csignal>
#include <string>

namespace sagabox::testing {

/// Sagas of every kind, each of an aggregate that is named after what happens to it, played by real
/// relays, one of which is killed; then all is quiet.
class MixedRun {
public:
    MixedRun()
    {
        RelayProcess migrate(Config(url), "migrate");
        if (migrate.wait_exit(std::chrono::seconds(20)) != 0) {
            throw std::runtime_error("migrate failed: " + migrate.log());
        }
        sql = std::make_unique<Sql>(url);
        for (const std::string name : {"a", "b", "c"}) {
            stub.on("/" + name, [this, name](const Arrival& call) { return reply(name, call); });
            stub.on("/" + name + "/undo",
                    [this, name](const Arrival& call) { return reply(name + ".revert", call); });
        }
        for (const std::string name : {"small", "large"}) {
            stub.on("/" + name, answer(200));
        }
        config = make_config(url);
        play();
        sql.reset();
    }

    /// The configuration that the relays ran on, over this database.
    [[nodiscard]] std::string make_config(const std::string& database_url) const
    {
        Config text(database_url);
        for (const std::string name : {"a", "b", "c"}) {
            text.route(name, stub, Config::Revert::always);
        }
        text.with("outbox.http.routes.sized.routes = [");
        for (const std::string name : {"small", "large"}) {
            text.with(fmt::format("{{ url = \"{}\", condition {{ jsonPath = \"$.size\", operator = "
                                  "\"eq\", value = \"{}\" }} }}",
                                  stub.url("/" + name), name));
        }
        text.with("]");
        text.with("outbox.maxRetries = 2").with("outbox.dlq.maxRetries = 1");
        return text.fanout("Made", {"a", "b", "c"}).fanout("Sized", {"sized", "a"}).text();
    }

    const std::string url = Postgres::instance().fresh_database();
    std::string config;

private:
    Reply reply(const std::string& step, const Arrival& call)
    {
        const std::string aggregate = call.header("X-Aggregate-Id");
        const std::size_t arrivals = ++seen_[aggregate + " " + step];
        if (aggregate == "flaky" && (step == "b" || step == "a.revert")) {
            return answer(arrivals == 1 ? 503 : 200);
        }
        if (aggregate == "flaky" && step == "c") {
            return answer(400);
        }
        if ((aggregate == "rejected" || aggregate == "stuck" || aggregate == "twice") &&
            step == "c") {
            return answer(arrivals == 1 ? 400 : 200);
        }
        if (aggregate == "stuck" && step == "b.revert") {
            return answer(400);
        }
        if (aggregate == "unknown" && step == "c") {
            return {.manner = Reply::Manner::close};
        }
        if (aggregate == "waiting" && step == "b") {
            return answer(503, "Retry-After", "60");
        }
        if (aggregate == "killed" && step == "b" && arrivals == 1) {
            return hanging();
        }
        return answer(200);
    }

    std::string emit(const std::string& aggregate, const std::string& type = "Made",
                     const std::string& payloads = "{}") const
    {
        return sql->one("insert into outbox_events (aggregate_id, event_type, payloads) "
                        "values ($1, $2, $3) returning id",
                        {aggregate, type, payloads});
    }

    void play()
    {
        // The stub answers on its one thread, so what it has counted needs no lock.
        const Config settings = [this] {
            Config text(url);
            text.with(config);
            return text;
        }();
        {
            StartedRelay doomed(settings);
            emit("killed");
            if (!stub.wait_for_arrivals("/b", 1, std::chrono::seconds(20))) {
                throw std::runtime_error("the relay made no call");
            }
            doomed.kill();
        }
        StartedRelay relay(settings);
        for (const std::string aggregate : {"ok", "flaky", "rejected", "unknown", "stuck",
                                            "cancelled", "waiting", "twice", "pair", "pair"}) {
            emit(aggregate);
        }
        emit("sized", "Sized", R"({"sized": {"size": "large"}})");
        emit("odd", "Sized", R"({"sized": {"size": "odd"}})");
        emit("lost", "Unheard");
        await("select count(*) from outbox_events where active", "1");
        await("select count(*) from dead_letter_events where active", "0");
        emit("cancelled", "!Made");
        emit("waiting", "!Made");
        sql->exec("update outbox_events set status = 'PENDING', run = 2, moved_to_dlq = false, "
                  "status_changed_at = now(), next_retry_at = now(), forgiven_up_to = "
                  "(select max(id) from aggregate_results) where aggregate_id = 'twice'");
        await("select count(*) from outbox_events where active", "0");
        stub.release();
    }

    void await(const std::string& text, const std::string& value) const { sql->await(text, value); }

    StubServer stub;
    std::map<std::string, std::size_t> seen_;
    std::unique_ptr<Sql> sql;
};

} // namespace sagabox::testing
