#include "config/mail.hpp"

#include "config/call_rules.hpp"
#include "config/values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

using Security = core::SmtpProvider::Security;

Security read_security(const View& smtp)
{
    const std::string word = smtp.text("security").value();
    return word == "tls" ? Security::tls : word == "none" ? Security::none : Security::starttls;
}

std::uint16_t usual_port(Security security)
{
    switch (security) {
    case Security::tls:
        return 465;
    case Security::none:
        return 25;
    case Security::starttls:
        break;
    }
    return 587;
}

/// `SAGABOX_EMAIL_<NAME>_PASSWORD`
std::string password_variable(const std::string& provider)
{
    std::string name = "SAGABOX_EMAIL_";
    for (const char c : provider) {
        const auto byte = static_cast<unsigned char>(c);
        name += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
    }
    return name + "_PASSWORD";
}

class ProviderReader {
public:
    ProviderReader(const Environment& environment, Report& report,
                   std::vector<std::string>& secrets)
        : environment_(environment), report_(report), secrets_(secrets)
    {
    }

    std::optional<core::MailProvider> read(const View& view)
    {
        core::MailProvider out;
        const std::optional<std::string> name = view.text("name");
        if (!name) {
            report_.add(view.node(), view.path_of("name"),
                        "missing: give the provider a name, by which rows and logs know it");
        } else if (!names_.insert(*name).second) {
            report_.add(view.find("name"), view.path_of("name"),
                        fmt::format("two providers are called \"{}\"; give one of them another "
                                    "name",
                                    *name));
        }
        out.name = name.value_or("");
        out.timeout = view.duration("timeout");
        const bool smtp = view.has("smtp");
        if (smtp == view.has("http")) {
            report_.add(view.node(), view.path(),
                        smtp ? "a provider has either smtp or http, not both; make two of it"
                             : "missing: a provider needs smtp { … } or http { … }");
            return std::nullopt;
        }
        if (smtp) {
            out.how = read_smtp(view.section("smtp"), out.name);
        } else {
            std::optional<core::HttpMailProvider> http = read_http(view.section("http"));
            if (!http) {
                return std::nullopt;
            }
            out.how = *std::move(http);
        }
        return out;
    }

private:
    core::SmtpProvider read_smtp(const View& view, const std::string& name)
    {
        core::SmtpProvider out;
        out.host = view.text("host").value_or("");
        if (!view.has("host")) {
            report_.add(view.node(), view.path_of("host"), "missing: name the mail server");
        }
        out.security = read_security(view);
        out.port =
            static_cast<std::uint16_t>(view.maybe_whole("port").value_or(usual_port(out.security)));
        out.user = view.text("user").value_or("");
        out.password = view.text("password").value_or("");
        if (auto value = environment_(password_variable(name)); value && !value->empty()) {
            out.password = *value;
            secrets_.push_back(*std::move(value));
        }
        out.ca_file = view.text("caFile").value_or("");
        if (out.user.empty() && !out.password.empty()) {
            report_.add(view.node(), view.path_of("user"), "missing: the password is whose?");
        }
        const Node* host = view.find("host");
        if (out.security == Security::none && !out.password.empty() && host != nullptr &&
            !host->unresolved && !is_loopback(out.host)) {
            report_.add(view.find("security"), view.path_of("security"),
                        "the password would cross the network unprotected; use starttls or tls");
        }
        return out;
    }

    std::optional<core::HttpMailProvider> read_http(const View& view)
    {
        core::HttpMailProvider out;
        out.method = read_method(view);
        out.headers = read_headers(view);
        out.classify = read_classification(view.section("classify"), report_);
        if (const auto path = view.text("accepted")) {
            out.accepted = json::Path::compile(*path).value();
        }
        if (const auto path = view.text("refused")) {
            out.refused = json::Path::compile(*path).value();
        }
        const bool has_body = read_body(view, out);
        const std::optional<std::string> url = view.text("url");
        if (!view.has("url")) {
            report_.add(view.node(), view.path_of("url"), "missing: say where messages are sent");
        }
        if (!url || !has_body) {
            return std::nullopt;
        }
        out.url = *url;
        if (!core::UrlTemplate::parse(*url).value().placeholders().empty()) {
            report_.add(view.find("url"), view.path_of("url"),
                        "the URL of a mail provider has no placeholders; put the value into the "
                        "body");
        }
        return out;
    }

    bool read_body(const View& view, core::HttpMailProvider& out)
    {
        const Node* body = view.find("body");
        if (body == nullptr) {
            report_.add(view.node(), view.path_of("body"),
                        "missing: give a JSON template, for example \"\"\"{\"to\": {to}, "
                        "\"subject\": \"{subject}\", \"text\": \"{text}\"}\"\"\"");
            return false;
        }
        const Result<core::BodyTemplate> parsed =
            core::BodyTemplate::parse(body->kind == Node::Kind::text ? body->text : to_json(*body));
        if (!parsed) {
            return false; // the checks have reported it
        }
        constexpr std::array known = {
            "from",          "to",   "cc",          "bcc",       "replyTo",       "subject",
            "text",          "html", "attachments", "messageId", "correlationId", "documentType",
            "idempotencyKey"};
        for (const std::string& name : parsed->placeholders()) {
            if (std::ranges::find(known, name) == known.end()) {
                report_.add(body, view.path_of("body"),
                            fmt::format("nothing fills {{{}}}; known are {}", name,
                                        fmt::join(known, ", ")));
            }
        }
        out.body = *parsed;
        return true;
    }

    const Environment& environment_;
    Report& report_;
    std::vector<std::string>& secrets_;
    std::set<std::string> names_;
};

/// The full grammar is the database's, where addresses come in; here, what is plainly none.
bool looks_like_an_address(const std::string& text)
{
    const std::size_t open = text.rfind('<');
    const bool named = open != std::string::npos && text.back() == '>';
    const std::string bare = named ? text.substr(open + 1, text.size() - open - 2) : text;
    const std::size_t at = bare.rfind('@');
    return at != std::string::npos && at > 0 && at + 1 < bare.size() &&
           bare.find_first_of("<> \t,") == std::string::npos;
}

Mail read_rules(const View& view, const std::string& from)
{
    Mail out;
    out.from = from;
    out.document_types = view.texts("documentTypes");
    out.attachment_types = view.texts("attachmentTypes");
    out.max_attachments = static_cast<int>(view.whole("maxAttachments"));
    out.max_attachment_bytes = view.bytes("maxAttachmentSize");
    out.max_total_bytes = view.bytes("maxTotalSize");
    out.max_recipients = static_cast<int>(view.whole("maxRecipients"));
    out.retention = view.duration("retention");
    out.failed_retention = view.maybe_duration("failedRetention");
    out.memory = view.bytes("memory");
    return out;
}

} // namespace

std::optional<MailSettings> read_mail(const View& email, const Environment& environment,
                                      Report& report)
{
    if (email.node() == nullptr) {
        return std::nullopt;
    }
    MailSettings out;
    const std::string from = email.text("from").value_or("");
    const Node* sender = email.find("from");
    if (sender == nullptr) {
        report.add(email.node(), email.path_of("from"),
                   "missing: name the sender, for example \"Shop <shop@example.com>\"");
    } else if (!sender->unresolved && !looks_like_an_address(from)) {
        report.add(sender, email.path_of("from"),
                   "not an address; write shop@example.com or Shop <shop@example.com>");
    }
    out.plan.from = from;
    out.plan.max_retries = static_cast<int>(email.whole("maxRetries"));
    out.plan.backoff = read_backoff(email.section("backoff"), report);
    const View breaker = email.section("breaker");
    out.plan.breaker_failures = static_cast<int>(breaker.whole("failures"));
    out.plan.breaker_open_for = breaker.duration("openFor");
    out.rules = read_rules(email, from);

    const Node* providers = email.find("providers");
    if (providers == nullptr) {
        report.add(email.node(), email.path_of("providers"),
                   "missing: e-mail needs at least one provider, providers = [ { … } ]");
        return std::nullopt;
    }
    ProviderReader reader(environment, report, out.secrets);
    for (std::size_t i = 0; i < providers->items.size(); ++i) {
        const View view = email.element("providers", providers->items[i],
                                        fmt::format("{}[{}]", email.path_of("providers"), i));
        if (view.node() == nullptr) {
            continue;
        }
        if (std::optional<core::MailProvider> provider = reader.read(view)) {
            out.plan.providers.push_back(*std::move(provider));
        }
    }
    if (out.plan.providers.empty()) {
        return std::nullopt;
    }
    return out;
}

std::string shown_place(const core::MailProvider& provider, const core::Plan& plan)
{
    if (const auto* http = std::get_if<core::HttpMailProvider>(&provider.how)) {
        return plan.shown_url(http->url);
    }
    const auto& smtp = std::get<core::SmtpProvider>(provider.how);
    return fmt::format("{}://{}:{}", smtp.security == Security::tls ? "smtps" : "smtp", smtp.host,
                       smtp.port);
}

void add_mail_destination(const View& calls, core::Plan& plan, Report& report)
{
    const std::string name(core::mail_destination);
    if (plan.destinations.contains(name)) {
        const Node* routes = calls.find("routes");
        report.add(routes->find(name), join(calls.path_of("routes"), name),
                   "with the section email, this name means sending mail; call the route "
                   "something else");
        return;
    }
    core::Destination destination;
    destination.name = name;
    destination.means = core::Means::mail;
    destination.routes.emplace_back();
    plan.destinations.emplace(name, std::move(destination));
}

} // namespace sagabox::config
