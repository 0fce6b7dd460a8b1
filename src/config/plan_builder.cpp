#include "config/plan_builder.hpp"

#include "config/call_rules.hpp"
#include "config/cross_checks.hpp"
#include "config/destinations.hpp"
#include "config/mail.hpp"
#include "config/operating_declarations.hpp"
#include "config/secrets.hpp"
#include "config/values.hpp"
#include "config/view.hpp"

namespace sagabox::config {

namespace {

/// A variable that is set to something; an empty one is as good as none.
std::optional<std::string> from_environment(const Environment& environment, const char* name)
{
    auto value = environment(name);
    return value && !value->empty() ? value : std::nullopt;
}

Database read_database(const View& view, const Environment& environment)
{
    Database out;
    const auto override = from_environment(environment, "SAGABOX_DATABASE_URL");
    out.url = override ? override : view.text("url");
    out.listen_url = view.text("listenUrl");
    out.schema = view.text("schema").value();
    out.prepared_statements = view.boolean("preparedStatements");
    return out;
}

std::chrono::milliseconds read_lease_duration(const View& view)
{
    if (!view.has("leaseDuration")) {
        if (const auto minutes = view.maybe_whole("staleEventTimeoutMinutes")) {
            return std::chrono::minutes(*minutes);
        }
    }
    return view.duration("leaseDuration");
}

Relay read_relay(const View& view)
{
    Relay out;
    out.poll_interval = view.duration("pollInterval");
    out.batch_size = static_cast<int>(view.whole("batchSize"));
    out.pool_size = static_cast<int>(view.whole("poolSize"));
    out.max_in_flight = static_cast<int>(view.whole("maxInFlight"));
    out.use_listen_notify = view.boolean("useListenNotify");
    out.stale_event_cleanup = view.boolean("enableStaleEventCleanup");
    out.lease_duration = read_lease_duration(view);
    out.cleanup_interval = view.duration("cleanupInterval");
    out.shutdown_grace = view.duration("shutdownGrace");
    out.retention = view.duration("retention");
    out.ordering =
        view.text("ordering") == "none" ? Relay::Ordering::none : Relay::Ordering::aggregate;
    out.letter_poll_interval = view.section("dlq").duration("pollInterval");
    return out;
}

Http read_http(const View& view, const Environment& environment, Report& report)
{
    Http out;
    const View auth = view.section("auth");
    const auto override = from_environment(environment, "SAGABOX_HTTP_TOKEN");
    out.token = override ? override : auth.text("token");
    out.address = view.text("address").value();
    out.port = static_cast<std::uint16_t>(view.whole("port"));
    const Node* address = view.find("address");
    if (!out.token && !auth.has("token") && !is_loopback(out.address) && !address->unresolved) {
        report.add(address, view.path_of("address"),
                   "other machines could reach the API here and nothing protects it; set "
                   "http.auth.token (or SAGABOX_HTTP_TOKEN), or use 127.0.0.1");
    }
    return out;
}

Health read_health(const View& view)
{
    Health out;
    out.max_age = view.duration("maxAge");
    out.destination_down_after = view.duration("destinationDownAfter");
    out.stuck_after = view.duration("stuckAfter");
    return out;
}

log::Level read_level(std::string_view text)
{
    return text == "debug"     ? log::Level::debug
           : text == "warning" ? log::Level::warning
           : text == "error"   ? log::Level::error
                               : log::Level::info;
}

log::Options read_log(const View& view)
{
    log::Options out;
    out.format = view.text("format") == "json" ? log::Format::json : log::Format::text;
    out.level = read_level(view.text("level").value());
    const View levels = view.section("levels");
    for (const Setting& part : log_levels_section.settings) {
        if (const auto level = levels.text(part.name)) {
            out.parts.emplace(part.name, read_level(*level));
        }
    }
    return out;
}

void read_calls(const View& calls, core::Plan& plan, Report& report)
{
    if (const Node* routes = calls.find("routes")) {
        for (const auto& [name, member] : routes->members) {
            const View view = calls.element("routes", member, join(calls.path_of("routes"), name));
            if (view.node() == nullptr) {
                continue;
            }
            if (auto destination = read_destination(view, name, report)) {
                plan.destinations.emplace(name, *std::move(destination));
            }
        }
    }
    if (const Node* fanout = calls.find("fanout")) {
        for (const auto& [type, list] : fanout->members) {
            if (list.kind == Node::Kind::list) {
                std::vector<std::string>& names = plan.fanouts[type];
                for (const Node& item : list.items) {
                    names.push_back(item.text);
                }
            }
        }
    }
}

void read_outcomes(const View& outbox, core::Plan& plan)
{
    const Node* outcomes = outbox.find("outcomes");
    if (outcomes == nullptr) {
        return;
    }
    for (const auto& [type, member] : outcomes->members) {
        const View view =
            outbox.element("outcomes", member, join(outbox.path_of("outcomes"), type));
        plan.outcomes.emplace(type,
                              core::OutcomeSql{.completed = view.text("completed").value_or(""),
                                               .compensated = view.text("compensated").value_or(""),
                                               .failed = view.text("failed").value_or("")});
    }
}

core::Plan read_plan(const View& outbox, Report& report)
{
    core::Plan plan;
    plan.max_retries = static_cast<int>(outbox.whole("maxRetries"));
    plan.revert_max_retries = static_cast<int>(outbox.section("dlq").whole("maxRetries"));
    plan.backoff = read_backoff(outbox.section("backoff"), report);
    plan.max_retry_after = outbox.duration("maxRetryAfter");
    read_calls(outbox.section("http"), plan, report);
    read_outcomes(outbox, plan);
    return plan;
}

void flatten_rates(const Node& node, const std::string& name, std::map<std::string, double>& out)
{
    for (const auto& [key, member] : node.members) {
        const std::string inner = name.empty() ? key : name + "." + key;
        if (member.is_scalar()) {
            out[inner] = parse_real(member.text).value_or(0);
        }
        flatten_rates(member, inner, out);
    }
}

} // namespace

Settings build_settings(const Node& root, const Environment& environment, Report& report)
{
    const View file(&root, root_section(), "");
    const View outbox = file.section("outbox");
    Settings out;
    out.database = read_database(file.section("database"), environment);
    out.relay = read_relay(outbox);
    out.http = read_http(file.section("http"), environment, report);
    out.health = read_health(file.section("health"));
    out.metrics.survey_interval = file.section("metrics").duration("surveyInterval");
    out.log = read_log(file.section("log"));
    const View network = file.section("network");
    out.network = {.deny = network.texts("deny"), .allow = network.texts("allow")};
    core::Plan plan = read_plan(outbox, report);
    std::optional<MailSettings> mail = read_mail(file.section("email"), environment, report);
    const View calls = outbox.section("http");
    std::vector<std::string_view> built_in;
    if (file.has("email")) {
        built_in.push_back(core::mail_destination);
        add_mail_destination(calls, plan, report);
    }
    check_references(calls, plan, report, std::move(built_in));
    if (const Node* rates = file.section("service").section("failure").find("rates")) {
        flatten_rates(*rates, "", out.failure_rates);
    }

    out.secrets = secrets_of(root, environment);
    for (const char* name : {"SAGABOX_DATABASE_URL", "SAGABOX_HTTP_TOKEN"}) {
        if (auto value = from_environment(environment, name)) {
            for (std::string& part : secrets_in_address(*value)) {
                out.secrets.push_back(std::move(part));
            }
            out.secrets.push_back(*std::move(value));
        }
    }
    if (mail) {
        out.secrets.insert(out.secrets.end(), mail->secrets.begin(), mail->secrets.end());
    }
    tidy_secrets(out.secrets);
    plan.secrets = out.secrets;
    if (mail) {
        for (core::MailProvider& provider : mail->plan.providers) {
            provider.shown_url = shown_place(provider, plan);
        }
        plan.mail = std::make_shared<const core::MailPlan>(std::move(mail->plan));
        out.mail = std::move(mail->rules);
    }
    out.plan = std::make_shared<const core::Plan>(std::move(plan));
    return out;
}

} // namespace sagabox::config
