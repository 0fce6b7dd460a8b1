#include "app/schema.hpp"

#include "app/blocking.hpp"
#include "base/log.hpp"

#include <chrono>
#include <utility>

namespace sagabox::app {

namespace {

constexpr std::chrono::seconds patience{60};
constexpr std::chrono::milliseconds pause_between_tries{1'000};

} // namespace

Result<store::Migrated> migrate_once(const pg::Options& options)
{
    asio::io_context context;
    return run_blocking(context,
                        store::migrate(context.get_executor(), options, Deadline::after(patience)));
}

Result<std::optional<store::Migrated>> migrate_when_reachable(const pg::Options& options,
                                                              Signals& signals)
{
    bool said = false;
    for (;;) {
        Result<store::Migrated> migrated = migrate_once(options);
        if (migrated) {
            if (said) {
                log::info("database", "the database can be reached again");
            }
            return std::optional(std::move(*migrated));
        }
        const Fault& fault = migrated.error();
        if (!fault.retryable()) {
            return fail(fault);
        }
        if (!said) {
            log::warning("database", "cannot reach the database and keeps trying: {}",
                         fault.text());
            said = true;
        }
        if (signals.wait_for(pause_between_tries) == Signals::What::stop) {
            return std::optional<store::Migrated>{};
        }
    }
}

} // namespace sagabox::app
