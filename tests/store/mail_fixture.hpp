#pragma once

#include "store/flush.hpp"
#include "store/mail.hpp"
#include "store/mail_views.hpp"
#include "tests/store/store_fixture.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sagabox::store {

inline std::string base64(std::string_view bytes)
{
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8 |
                    (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            out += at + i <= bytes.size() ? letters[group >> (18 - 6 * i) & 63] : '=';
        }
    }
    return out;
}

/// A message that has nothing wrong with it, until a test changes a field.
class Letter {
public:
    /// `json` is the field's value as JSON text.
    Letter& set(const std::string& field, std::string json)
    {
        fields_[field] = std::move(json);
        return *this;
    }
    Letter& text(const std::string& field, std::string_view value)
    {
        return set(field, json::quote(value));
    }
    Letter& drop(const std::string& field)
    {
        fields_.erase(field);
        return *this;
    }
    /// `content` is what stands in the JSON, base64 or not.
    Letter& attach_encoded(std::string_view name, std::string_view type, std::string_view content)
    {
        std::string& list = fields_["attachments"];
        list = list.empty() ? "[" : list.substr(0, list.size() - 1) + ",";
        list += R"({"fileName":)" + json::quote(name) + R"(,"contentType":)" + json::quote(type) +
                R"(,"content":)" + json::quote(content) + "}]";
        return *this;
    }
    Letter& attach(std::string_view name, std::string_view type, std::string_view bytes)
    {
        return attach_encoded(name, type, base64(bytes));
    }
    [[nodiscard]] std::string json() const
    {
        std::string out = "{";
        for (const auto& [field, value] : fields_) {
            out += (out.size() == 1 ? "" : ",") + json::quote(field) + ":" + value;
        }
        return out + "}";
    }

private:
    std::map<std::string, std::string> fields_{
        {"to", R"(["ann@x.example"])"},
        {"subject", R"("Your order")"},
        {"text", R"("It is on its way.")"},
        {"documentType", R"("letter")"},
    };
};

/// A migrated database where e-mail is configured.
class MailTest : public StoreTest {
protected:
    MailTest() { publish(rules()); }

    static MailRules rules()
    {
        MailRules rules;
        rules.from = "Shop <orders@shop.example>";
        rules.document_types = {"letter", "invoice"};
        rules.attachment_types = {"application/pdf", "text/plain", "text/csv", "image/png"};
        rules.max_attachments = 3;
        rules.max_attachment_bytes = 1'000;
        rules.max_total_bytes = 2'000;
        rules.max_recipients = 5;
        return rules;
    }

    void publish(MailRules wanted)
    {
        must(publish_mail_rules(*connection, std::move(wanted), Deadline::after(patience)));
    }

    template <class T>
    T must(Task<Result<T>> task)
    {
        Result<T> result = testing::run(context, std::move(task));
        if (!result) {
            throw std::runtime_error(result.error().text());
        }
        if constexpr (!std::is_void_v<T>) {
            return std::move(*result);
        }
    }

    MailIntake accept(const Letter& letter)
    {
        return must(accept_mail(*connection, letter.json(), Deadline::after(patience)));
    }

    /// Each as `field: text`.
    std::vector<std::string> faults(const std::string& message)
    {
        std::vector<std::string> out;
        for (const MailFault& fault :
             must(accept_mail(*connection, message, Deadline::after(patience))).faults) {
            out.push_back(fault.field + ": " + fault.text);
        }
        return out;
    }
    std::vector<std::string> faults(const Letter& letter) { return faults(letter.json()); }

    /// The fields that faults were found in.
    std::vector<std::string> faulty(const Letter& letter)
    {
        std::vector<std::string> out;
        for (const MailFault& fault : accept(letter).faults) {
            out.push_back(fault.field);
        }
        return out;
    }

    std::int64_t send(const Letter& letter = {})
    {
        const MailIntake intake = accept(letter);
        if (!intake.faults.empty()) {
            throw std::runtime_error(intake.faults.front().field + " " +
                                     intake.faults.front().text);
        }
        return intake.id;
    }

    /// An event with an e-mail among its steps; its id.
    std::int64_t emit_saga(const std::string& aggregate, const Letter& letter = {})
    {
        return std::stoll(
            sql.one("insert into outbox_events (aggregate_id, event_type, payloads) values ($1, "
                    "'Made', jsonb_build_object('a', 1, 'email', $2::jsonb)) returning id",
                    {aggregate, letter.json()}));
    }

    /// Status, attempts, provider and error, as people see them.
    testing::Sql::Row seen(std::int64_t message)
    {
        return sql
            .rows("select status, attempts, provider, last_error from email_status "
                  "where id = $1",
                  {std::to_string(message)})
            .at(0);
    }
    std::string mail_status(std::int64_t message) { return seen(message).at(0); }

    static core::StepResult try_of(std::int64_t event, core::Outcome outcome,
                                   const std::string& error = "", int attempt = 1,
                                   const std::string& provider = "primary")
    {
        core::StepResult row = row_of(event, "email", attempt);
        row.outcome = outcome;
        row.error = error;
        row.request = json::parse(R"({"message": 1, "provider": ")" + provider + "\"}").value();
        return row;
    }

    /// Writes as a worker's journal does: rows first, then the change of status, in one
    /// transaction.
    void write(const Lease& lease, std::vector<core::StepResult> rows,
               std::optional<Settlement> settlement = {})
    {
        Entry entry = entry_for(lease);
        entry.rows = std::move(rows);
        entry.settlement = std::move(settlement);
        const std::string owner = "worker-1";
        const Flush flush(owner, {&entry});
        must(connection->transact(flush.first(), Deadline::after(patience)));
    }

    /// Fails a message's event for good, after one try that failed.
    void fail_mail(std::int64_t message)
    {
        const Lease lease = take(event_of(message));
        GivenUp given_up;
        given_up.reason = core::LetterReason::MAX_RETRIES_EXCEEDED;
        given_up.why = "451 try later";
        write(lease, {try_of(lease.id, core::Outcome::failed, "451 try later")}, given_up);
    }

    std::int64_t event_of(std::int64_t message)
    {
        return std::stoll(sql.one("select event_id from email_messages where id = $1",
                                  {std::to_string(message)}));
    }

    /// The lease of this event, taken whatever others wait.
    Lease take(std::int64_t event)
    {
        const std::string id = std::to_string(event);
        sql.exec("update outbox_events set status = 'PROCESSING', lease_owner = 'worker-1', "
                 "claim_no = claim_no + 1, lease_expires_at = now() + interval '1 hour' "
                 "where id = " +
                 id);
        Lease lease;
        lease.id = event;
        lease.claim_no = static_cast<int>(
            std::stoi(sql.one("select claim_no from outbox_events where id = $1", {id})));
        return lease;
    }

    std::string count(const std::string& table) { return sql.one("select count(*) from " + table); }
};

} // namespace sagabox::store
