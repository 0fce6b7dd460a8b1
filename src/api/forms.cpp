#include "api/forms.hpp"

#include "api/next_action.hpp"
#include "core/moment.hpp"
#include "core/redact.hpp"

#include <algorithm>
#include <utility>

namespace sagabox::api {

namespace {

json::Value integer(std::int64_t number)
{
    return json::Value::integer(number);
}

json::Object counts_form(const store::Counts& counts, const char* label)
{
    json::Array items;
    for (const store::Count& count : counts.counts) {
        json::Object item;
        item.set("status", count.status);
        item.set(label, count.of);
        item.set("count", integer(count.count));
        items.emplace_back(std::move(item));
    }
    json::Object form;
    form.set("counts", std::move(items));
    form.set("exact", counts.exact);
    return form;
}

json::Value addresses(const std::vector<std::string>& list)
{
    json::Array items;
    for (const std::string& address : list) {
        items.emplace_back(address);
    }
    return items;
}

/// The rows of a saga in the order in which they were written. A cancel's calls stand with the
/// events that it undid.
std::vector<const core::StepResult*> rows_of(const store::EventDetail& detail)
{
    std::vector<const core::StepResult*> rows;
    for (const core::StepResult& row : detail.history.results) {
        rows.push_back(&row);
    }
    for (const core::History& target : detail.targets) {
        for (const core::StepResult& row : target.results) {
            if (row.cause == detail.event.id) {
                rows.push_back(&row);
            }
        }
    }
    std::sort(rows.begin(), rows.end(),
              [](const auto* a, const auto* b) { return a->id.value < b->id.value; });
    return rows;
}

} // namespace

json::Value moment(const std::optional<DbTime>& at)
{
    return at ? json::Value(core::format_rfc3339(*at)) : json::Value{};
}

json::Value text_or_null(const std::string& text)
{
    return text.empty() ? json::Value{} : json::Value(text);
}

json::Value list_form(json::Array items, std::optional<std::int64_t> next)
{
    json::Object form;
    form.set("items", std::move(items));
    form.set("next", next ? integer(*next) : json::Value{});
    return form;
}

std::string Forms::shown(std::string_view text) const
{
    std::string out(text);
    for (const std::string& secret : plan_.secrets) {
        for (std::size_t at = out.find(secret); at != std::string::npos;
             at = out.find(secret, at)) {
            out.replace(at, secret.size(), "***");
            at += 3;
        }
    }
    return out;
}

json::Value Forms::text(const std::string& text) const
{
    return text_or_null(shown(text));
}

json::Object Forms::event_fields(const store::EventView& event) const
{
    json::Object form;
    form.set("id", integer(event.id.value));
    form.set("aggregateId", event.aggregate_id);
    form.set("eventType", event.type);
    form.set("status", core::to_label(event.status));
    form.set("createdAt", moment(event.created_at));
    form.set("statusChangedAt", moment(event.status_changed_at));
    form.set("retryCount", integer(event.retry_count));
    form.set("nextRetryAt", moment(event.next_retry_at));
    form.set("lastError", text(event.last_error));
    form.set("movedToDlq", event.moved_to_dlq);
    form.set("run", integer(event.run));
    return form;
}

json::Value Forms::event(const store::EventView& event) const
{
    return event_fields(event);
}

json::Value Forms::event(const store::EventDetail& detail) const
{
    json::Object form = event_fields(detail.event);
    form.set("eventUuid", detail.uuid);
    form.set("idempotencyKey", text_or_null(detail.idempotency_key));
    form.set("leaseOwner", text_or_null(detail.lease_owner));
    form.set("leaseExpiresAt", moment(detail.lease_expires_at));
    form.set("deaths", integer(detail.deaths));
    form.set("emailId", detail.email ? integer(*detail.email) : json::Value{});
    form.set("traceparent", text_or_null(detail.history.event.traceparent));
    form.set("payloads", core::shown_payloads(detail.history.event.payloads, plan_));
    json::Array results;
    for (const core::StepResult* row : rows_of(detail)) {
        results.push_back(result(*row));
    }
    form.set("results", std::move(results));
    form.set("deadLetter", detail.letter ? letter(*detail.letter) : json::Value{});
    form.set("next", next_action(plan_, *this, detail));
    return form;
}

json::Object Forms::letter_fields(const store::LetterView& letter) const
{
    json::Object form;
    form.set("id", integer(letter.id.value));
    form.set("originalEventId", integer(letter.event.value));
    form.set("aggregateId", letter.aggregate_id);
    form.set("eventType", letter.type);
    form.set("reason", core::to_label(letter.reason));
    form.set("status", core::to_label(letter.status));
    form.set("createdAt", moment(letter.created_at));
    form.set("failedAt", moment(letter.failed_at));
    form.set("statusChangedAt", moment(letter.status_changed_at));
    form.set("retryCount", integer(letter.retry_count));
    form.set("lastError", text(letter.last_error));
    form.set("revertRetryCount", integer(letter.revert_retry_count));
    form.set("revertError", text(letter.revert_error));
    form.set("nextRetryAt", moment(letter.next_retry_at));
    json::Value resolution;
    if (letter.resolution) {
        json::Object closed;
        closed.set("note", letter.resolution->note);
        closed.set("by", text_or_null(letter.resolution->by));
        closed.set("at", moment(letter.resolution->at));
        resolution = std::move(closed);
    }
    form.set("resolution", std::move(resolution));
    return form;
}

json::Value Forms::letter(const store::LetterView& letter) const
{
    return letter_fields(letter);
}

json::Value Forms::letter(const store::LetterDetail& detail) const
{
    json::Object form = letter_fields(detail.letter);
    form.set("payloads", core::shown_payloads(detail.payloads, plan_));
    return form;
}

json::Value Forms::result(const core::StepResult& result) const
{
    json::Object form;
    form.set("id", integer(result.id.value));
    form.set("eventId", integer(result.event_id.value));
    form.set("causeEventId", integer(result.cause.value));
    const bool revert = result.direction == core::Direction::revert;
    form.set("destination", result.destination + (revert ? ".revert" : ""));
    form.set("endpointUrl", text_or_null(plan_.shown_url(result.endpoint_url)));
    form.set("httpMethod", text_or_null(result.http_method));
    form.set("requestPayload", result.request);
    form.set("responseStatus",
             result.response_status ? integer(*result.response_status) : json::Value{});
    form.set("responsePayload", result.response.value_or(json::Value{}));
    form.set("publishedAt", moment(result.published_at));
    form.set("durationMs", integer(result.duration.count()));
    form.set("success", result.outcome == core::Outcome::succeeded);
    form.set("outcome", core::to_label(result.outcome));
    form.set("errorMessage", text(result.error));
    form.set("fanoutOrder", integer(result.fanout_order));
    form.set("attempt", integer(result.attempt));
    form.set("run", integer(result.run));
    form.set("interrupted", integer(result.interrupted));
    return form;
}

json::Value Forms::overview(const store::Overview& overview) const
{
    json::Object ended = counts_form(overview.ended, "eventType");
    ended.set("amongLatest", integer(overview.latest));
    json::Object events;
    events.set("active", counts_form(overview.active, "eventType"));
    events.set("ended", std::move(ended));
    events.set("estimatedTotal", integer(overview.estimated_rows));
    json::Object form;
    form.set("events", std::move(events));
    form.set("oldestPendingAgeMs", overview.oldest_pending
                                       ? integer(overview.oldest_pending->count() / 1000)
                                       : json::Value{});
    form.set("deadLetters", counts_form(overview.letters, "reason"));
    json::Array left_alone;
    for (const store::ShutDestination& one : overview.left_alone) {
        json::Object shut;
        shut.set("destination", one.name);
        shut.set("state", one.state);
        shut.set("until", moment(one.until));
        shut.set("failures", integer(one.failures));
        shut.set("why", text(one.why));
        left_alone.push_back(std::move(shut));
    }
    form.set("destinationsLeftAlone", std::move(left_alone));
    return form;
}

json::Object Forms::mail_fields(const store::MailView& mail) const
{
    json::Object form;
    form.set("id", integer(mail.id));
    form.set("eventId", integer(mail.event.value));
    form.set("status", mail.status);
    form.set("attempts", integer(mail.attempts));
    form.set("provider", text_or_null(mail.provider));
    form.set("lastError", text(mail.last_error));
    form.set("nextTryAt", moment(mail.next_try_at));
    form.set("endedAt", moment(mail.ended_at));
    form.set("receivedAt", moment(mail.received_at));
    form.set("messageId", mail.message_id);
    form.set("correlationId", mail.correlation_id);
    form.set("documentType", mail.document_type);
    form.set("idempotencyKey", text_or_null(mail.idempotency_key));
    form.set("to", addresses(mail.to));
    form.set("cc", addresses(mail.cc));
    form.set("bcc", addresses(mail.bcc));
    form.set("replyTo", text_or_null(mail.reply_to));
    form.set("subject", mail.subject);
    return form;
}

json::Value Forms::mail(const store::MailView& mail) const
{
    return mail_fields(mail);
}

json::Value Forms::mail(const store::MailStory& story) const
{
    json::Object form = mail_fields(story.mail);
    form.set("text", text_or_null(story.text));
    form.set("html", text_or_null(story.html));
    json::Array attachments;
    for (const store::MailAttachment& one : story.attachments) {
        json::Object attachment;
        attachment.set("id", integer(one.id));
        attachment.set("fileName", one.file_name);
        attachment.set("contentType", one.content_type);
        attachment.set("bytes", integer(one.bytes));
        attachments.emplace_back(std::move(attachment));
    }
    form.set("attachments", std::move(attachments));
    json::Array tries;
    for (const core::StepResult& row : story.tries) {
        tries.push_back(result(row));
    }
    form.set("tries", std::move(tries));
    return form;
}

json::Value Forms::provider(const store::MailProviderState& state) const
{
    json::Object form;
    form.set("name", state.name);
    form.set("state", state.state);
    form.set("failures", integer(state.failures));
    form.set("lastError", text(state.last_error));
    form.set("openUntil", moment(state.open_until));
    form.set("changedAt", moment(state.changed_at));
    return form;
}

} // namespace sagabox::api
