#include "app/record_commands.hpp"

#include "store/mail_views.hpp"
#include "store/page.hpp"

#include <vector>

namespace sagabox::app {

namespace {

std::vector<std::string> mail_statuses()
{
    return {store::mail_statuses.begin(), store::mail_statuses.end()};
}

} // namespace

CLI::App* RecordCommands::add(CLI::App& parent, const char* name, const char* what, Command command)
{
    CLI::App* added = parent.add_subcommand(name, what);
    added->add_option("-c,--config", options_->file, "Configuration file (HOCON)")->required();
    commands_.emplace_back(added, command);
    return added;
}

RecordCommands::RecordCommands(CLI::App& program)
{
    RecordOptions& to = *options_;
    const auto with_json = [&to](CLI::App* command) {
        command->add_flag("--json", to.json, "Print JSON, as the API answers it");
        return command;
    };
    const auto with_page = [&](CLI::App* command) {
        command
            ->add_option("--before", to.before, "Only ids below this: the next of the page before")
            ->check(CLI::PositiveNumber);
        command->add_option("--limit", to.limit, "How many")
            ->check(CLI::Range(1, store::most_items_of_a_page))
            ->capture_default_str();
        return with_json(command);
    };
    const auto with_id = [&to](CLI::App* command, const char* what) {
        command->add_option("ID", to.id, what)->required()->check(CLI::PositiveNumber);
        return command;
    };

    CLI::App* events = with_page(add(program, "events", "List events, newest first", &list_events));
    events->add_option("--status", to.status, "Only of this status")
        ->check(CLI::IsMember({"PENDING", "PROCESSING", "PROCESSED", "FAILED", "CANCELLED"}));
    events->add_option("--type", to.type, "Only of this event type");
    events->add_option("--aggregate", to.aggregate, "Only of this aggregate");

    with_json(add(program, "status", "Say how the outbox fares", &show_status));

    CLI::App* why = with_json(
        add(program, "why", "Say why an event has not come to its end yet", &explain_why));
    why->add_option("EVENT|AGGREGATE", to.target,
                    "outbox_events.id, or an aggregate, whose open events are told of")
        ->required();

    with_json(add(program, "purge", "Delete what has been kept long enough, now", &app::purge))
        ->add_option("--older-than", to.older_than,
                     "What ended longer ago than this, such as '3 days', instead of the "
                     "configured retention; dead letters and mail that wait for a person stay");

    CLI::App* letters = program.add_subcommand("dead-letters", "What failed for good");
    letters->require_subcommand(1);
    CLI::App* listed =
        with_page(add(*letters, "list", "List dead letters, newest first", &app::list_letters));
    listed->add_option("--status", to.status, "Only of this status")
        ->check(CLI::IsMember({"PENDING", "PROCESSING", "PROCESSED", "FAILED", "RESOLVED"}));
    listed->add_option("--reason", to.reason, "Only of this reason")
        ->check(CLI::IsMember({"MAX_RETRIES_EXCEEDED", "NON_RETRYABLE_ERROR", "POISONED"}));
    const char* letter_id = "dead_letter_events.id";
    with_json(with_id(add(*letters, "show", "Show a dead letter", &show_letter), letter_id));
    with_json(
        with_id(add(*letters, "retry", "Go on undoing, with all attempts anew", &app::retry_letter),
                letter_id));
    CLI::App* resolve = with_json(with_id(
        add(*letters, "resolve", "Close a letter that was put right by hand", &app::resolve_letter),
        letter_id));
    resolve->add_option("--note", to.note, "What was done")->required();
    resolve->add_option("--by", to.by, "Who says so");

    CLI::App* emails = program.add_subcommand("emails", "Messages, and what became of them");
    emails->require_subcommand(1);
    CLI::App* mail = with_page(add(*emails, "list", "List messages, newest first", &list_emails));
    mail->add_option("--status", to.status, "Only of this status")
        ->check(CLI::IsMember(mail_statuses()));
    mail->add_option("--recipient", to.recipient, "Only to this address");
    mail->add_option("--correlation-id", to.correlation_id, "Only with this correlation id");
    mail->add_option("--document-type", to.document_type, "Only of this document type");
    const char* mail_id = "email_messages.id";
    with_json(
        with_id(add(*emails, "show", "Show a message with all its tries", &show_email), mail_id));
    CLI::App* resend = with_json(
        add(*emails, "resend", "Send one failed message again, or all that match", &resend_emails));
    CLI::Option* one = resend->add_option("ID", to.id, mail_id)->check(CLI::PositiveNumber);
    CLI::Option* all = resend->add_flag("--all", to.all, "All that failed, oldest first");
    all->excludes(one);
    resend->add_option("--status", to.status, "With --all: only of this status")
        ->check(CLI::IsMember({"FAILED_NOT_RETRYABLE", "FAILED_RETRIES_EXHAUSTED"}))
        ->needs(all);
    resend
        ->add_option("--document-type", to.document_type, "With --all: only of this document type")
        ->needs(all);
    resend->add_option("--limit", to.limit, "With --all: how many")
        ->check(CLI::Range(1, 10'000))
        ->needs(all);
    resend->callback([one, all] {
        if (one->count() + all->count() == 0) {
            throw CLI::RequiredError("ID or --all");
        }
    });
}

std::optional<int> RecordCommands::run() const
{
    for (const auto& [app, command] : commands_) {
        if (app->parsed()) {
            return command(*options_);
        }
    }
    return std::nullopt;
}

} // namespace sagabox::app
