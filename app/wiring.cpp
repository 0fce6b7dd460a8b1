#include "app/wiring.hpp"

#include <cstdlib>
#include <iostream>
#include <utility>

#include <unistd.h>

namespace sagabox::app {

void print_problems(const std::vector<config::Problem>& problems)
{
    for (const config::Problem& problem : problems) {
        std::cerr << problem.place << ": " << problem.text << '\n';
    }
}

std::optional<config::Settings> load_or_explain(const std::string& file)
{
    if (file.empty()) {
        return config::defaults();
    }
    config::Loaded loaded = config::load_file(file);
    print_problems(loaded.problems);
    return std::move(loaded.settings);
}

pg::Options database_options(const config::Settings& settings, const std::string& url)
{
    pg::Options options;
    options.url = url;
    options.schema = settings.database.schema;
    options.prepare = settings.database.prepared_statements ? pg::Options::Prepare::named
                                                            : pg::Options::Prepare::never;
    return options;
}

std::optional<engine::MailOptions> mail_options(const config::Settings& settings)
{
    if (!settings.mail) {
        return std::nullopt;
    }
    const config::Mail& mail = *settings.mail;
    engine::MailOptions options;
    options.rules.from = mail.from;
    options.rules.document_types = mail.document_types;
    options.rules.attachment_types = mail.attachment_types;
    options.rules.max_attachments = mail.max_attachments;
    options.rules.max_attachment_bytes = mail.max_attachment_bytes;
    options.rules.max_total_bytes = mail.max_total_bytes;
    options.rules.max_recipients = mail.max_recipients;
    options.retention = mail.retention;
    options.failed_retention = mail.failed_retention;
    options.memory = static_cast<std::size_t>(mail.memory);
    return options;
}

engine::Options relay_options(const config::Settings& settings, const std::string& url)
{
    const config::Relay& relay = settings.relay;
    engine::Options options;
    options.database = database_options(settings, url);
    options.listen_url = settings.database.listen_url;
    options.network = AddressRules(settings.network.deny, settings.network.allow);
    options.workers = relay.pool_size;
    options.batch_size = relay.batch_size;
    options.max_in_flight = relay.max_in_flight;
    options.poll_interval = relay.poll_interval;
    options.letter_poll_interval = relay.letter_poll_interval;
    options.lease_duration = relay.lease_duration;
    options.cleanup_interval = relay.cleanup_interval;
    options.shutdown_grace = relay.shutdown_grace;
    options.retention = relay.retention;
    options.survey_interval = settings.metrics.survey_interval;
    options.mail = mail_options(settings);
    options.use_listen_notify = relay.use_listen_notify;
    options.take_expired = relay.stale_event_cleanup;
    options.order = relay.ordering == config::Relay::Ordering::aggregate
                        ? store::Claims::Order::aggregate
                        : store::Claims::Order::none;
    return options;
}

std::filesystem::path default_data_folder()
{
    if (::geteuid() == 0) {
        return "/var/lib/sagabox"; // the server's own user can't look into root's home
    }
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') {
        return std::filesystem::path(data) / "sagabox";
    }
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home != nullptr ? home : "/var/tmp") / ".local/share/sagabox";
}

Result<DatabaseAtHand> database_at_hand(const config::Settings& settings,
                                        const std::filesystem::path& data)
{
    if (settings.database.url) {
        return DatabaseAtHand{nullptr, *settings.database.url};
    }
    Result<std::unique_ptr<pg::EmbeddedCluster>> cluster =
        pg::EmbeddedCluster::start({.folder = data});
    if (!cluster) {
        return fail(std::move(cluster.error()));
    }
    std::string url = (*cluster)->url();
    return DatabaseAtHand{std::move(*cluster), std::move(url)};
}

} // namespace sagabox::app
