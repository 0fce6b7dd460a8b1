#include "app/blocking.hpp"
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/schema.hpp"
#include "app/wiring.hpp"
#include "json/value.hpp"

#include <iostream>

namespace sagabox::app {

namespace {

constexpr std::chrono::seconds patience{30};

/// So that applications may emit mail before the first relay has started.
Task<Result<void>> publish(Executor executor, pg::Options options, store::MailRules rules)
{
    const Deadline deadline = Deadline::after(patience);
    Result<std::unique_ptr<pg::Connection>> connection =
        co_await pg::Connection::open(std::move(executor), std::move(options), deadline);
    if (!connection) {
        co_return fail(connection.error());
    }
    co_return co_await store::publish_mail_rules(**connection, std::move(rules), deadline);
}

Result<void> publish_rules(const config::Settings& settings, const std::string& url)
{
    const std::optional<engine::MailOptions> mail = mail_options(settings);
    if (!mail) {
        return {};
    }
    asio::io_context context;
    return run_blocking(
        context, publish(context.get_executor(), database_options(settings, url), mail->rules));
}

json::Value form_of(const store::Migrated& migrated)
{
    json::Array applied(migrated.applied.begin(), migrated.applied.end());
    json::Object form;
    form.set("applied", std::move(applied));
    form.set("schemaVersion", json::Value::integer(migrated.after));
    return form;
}

} // namespace

int migrate(const std::string& file, bool as_json)
{
    const std::optional<config::Settings> settings = load_or_explain(file);
    if (!settings) {
        return misuse;
    }
    const Result<DatabaseAtHand> database = database_at_hand(*settings, default_data_folder());
    if (!database) {
        std::cerr << database.error().text() << '\n';
        return failed;
    }
    const Result<store::Migrated> migrated =
        migrate_once(database_options(*settings, database->url));
    if (!migrated) {
        std::cerr << migrated.error().text() << '\n';
        return failed;
    }
    if (const Result<void> published = publish_rules(*settings, database->url); !published) {
        std::cerr << published.error().text() << '\n';
        return failed;
    }
    if (as_json) {
        std::cout << json::write(form_of(*migrated)) << '\n';
        return done;
    }
    for (const std::string& name : migrated->applied) {
        std::cout << "applied " << name << '\n';
    }
    std::cout << "schema version " << migrated->after << '\n';
    return done;
}

} // namespace sagabox::app
