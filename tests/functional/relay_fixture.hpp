#pragma once

#include "testing/postgres.hpp"
#include "testing/relay_process.hpp"
#include "testing/stub_server.hpp"

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace sagabox::testing {

using namespace std::chrono_literals;

/// A migrated database and a stub, for tests that run the program against them.
class RelayTest : public ::testing::Test {
protected:
    RelayTest() { migrate(); }

    /// Longer than anything here may take, so that only a hang gets to feel it.
    static constexpr std::chrono::seconds patience{20};

    void migrate()
    {
        RelayProcess program(Config(url), "migrate");
        if (program.wait_exit(patience) != 0) {
            throw std::runtime_error("migrate failed: " + program.log());
        }
        sql = std::make_unique<Sql>(url);
    }

    [[nodiscard]] Config config() const { return Config(url); }

    /// Commits an event, and gives its id.
    std::string emit(const std::string& aggregate, const std::string& type,
                     const std::string& payloads = "{}")
    {
        return sql->one("insert into outbox_events (aggregate_id, event_type, payloads) "
                        "values ($1, $2, $3) returning id",
                        {aggregate, type, payloads});
    }

    [[nodiscard]] std::string status_of(const std::string& event) const
    {
        return sql->one("select status from outbox_events where id = $1", {event});
    }

    void await_status(const std::string& event, const std::string& status) const
    {
        sql->await("select status from outbox_events where id = " + event, status);
    }

    void await_letter(const std::string& event, const std::string& status) const
    {
        sql->await("select coalesce(max(status), 'none') from dead_letter_events "
                   "where original_event_id = " +
                       event,
                   status);
    }

    void await_count(const std::string& what, std::size_t count) const
    {
        sql->await("select count(*) from " + what, std::to_string(count));
    }

    std::string url = Postgres::instance().fresh_database();
    StubServer stub;
    std::unique_ptr<Sql> sql;
};

/// A relay that has started and is reported with its log where the test fails.
class StartedRelay : public RelayProcess {
public:
    explicit StartedRelay(const Config& config) : RelayProcess(config)
    {
        EXPECT_TRUE(wait_until_started()) << log();
    }
    ~StartedRelay()
    {
        if (::testing::Test::HasFailure()) {
            std::cerr << "--- what the relay said:\n" << log() << "---\n";
        }
    }
    StartedRelay(const StartedRelay&) = delete;
    StartedRelay& operator=(const StartedRelay&) = delete;
};

} // namespace sagabox::testing
