#pragma once

#include "tests/functional/relay_fixture.hpp"
#include "tests/mail/smtp_fixture.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sagabox::testing {

/// A relay's configuration with mail, and messages put in by SQL, as an application does.
class EmailTest : public RelayTest {
protected:
    void SetUp() override
    {
        if (const std::string missing = SmtpServer::why_missing(); !missing.empty()) {
            GTEST_SKIP() << missing;
        }
    }

    static std::string smtp(const std::string& name, std::uint16_t port)
    {
        return fmt::format("{{ name = {}, timeout = 5 seconds, smtp {{ host = \"127.0.0.1\", "
                           "port = {}, security = none }} }}",
                           name, port);
    }

    std::string http(const std::string& name, const std::string& more = "") const
    {
        return fmt::format(
            "{{ name = {}, timeout = 2 seconds, http {{ url = \"{}\", body = \"\"\"{{\"id\": "
            "\"{{messageId}}\", \"to\": {{to}}, \"subject\": {{subject}}, \"text\": {{text}}, "
            "\"files\": {{attachments}}}}\"\"\" {} }} }}",
            name, stub.url("/" + name), more);
    }

    [[nodiscard]] Config mail_config(const std::vector<std::string>& providers,
                                     const std::string& more = "") const
    {
        std::string list;
        for (const std::string& provider : providers) {
            list += (list.empty() ? "" : ", ") + provider;
        }
        Config wanted = config();
        wanted.with("email { from = \"Shop <shop@shop.example>\", maxRetries = 40");
        wanted.with("backoff { kind = linear, base = 50 milliseconds, max = 500 milliseconds }");
        wanted.with("breaker { failures = 5, openFor = 300 milliseconds }");
        wanted.with(more);
        wanted.with("providers = [" + list + "] }");
        return wanted;
    }

    /// The rules stand in the database before any relay has started.
    void publish(const Config& wanted)
    {
        RelayProcess program(wanted, "migrate");
        ASSERT_EQ(program.wait_exit(patience), 0) << program.log();
    }

    /// Emits a message, and gives its number.
    std::string write(const std::string& to, const std::string& subject = "Hello",
                      const std::string& more = "{}")
    {
        return sql->one(
            "select outbox_emit_email(jsonb_build_object('to', jsonb_build_array($1::text), "
            "'subject', $2::text, 'text', 'Some words.', 'documentType', 'letter') || "
            "$3::jsonb)",
            {to, subject, more});
    }

    void await_mail(const std::string& id, const std::string& status) const
    {
        sql->await("select status from email_status where id = " + id, status);
    }

    [[nodiscard]] std::string tries_of(const std::string& id) const
    {
        return sql->one(
            "select string_agg(r.request_payload ->> 'provider' || ' ' || r.outcome, ', ' "
            "order by r.id) from aggregate_results r "
            "join email_messages m on m.event_id = r.event_id where m.id = $1",
            {id});
    }
};

} // namespace sagabox::testing
