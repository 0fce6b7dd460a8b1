#include "tests/store/mail_fixture.hpp"

#include <thread>

namespace sagabox::store {
namespace {

class MailEmitTest : public MailTest {
protected:
    static std::string emit(testing::Sql& by, const Letter& letter)
    {
        return by.one("select outbox_emit_email($1::jsonb)", {letter.json()});
    }

    /// The exception's text.
    std::string refusal(const std::string& statement,
                        const testing::Sql::Parameters& parameters = {})
    {
        try {
            sql.exec(statement, parameters);
        } catch (const std::runtime_error& refused) {
            return refused.what();
        }
        return "";
    }
};

TEST_F(MailEmitTest, sends_once_the_caller_has_committed_and_never_where_it_rolled_back)
{
    sql.exec("begin");
    EXPECT_EQ(emit(sql, Letter().attach("a", "text/plain", "x")), "1");
    sql.exec("rollback");
    for (const char* table : {"email_messages", "email_attachments", "email_recipients",
                              "email_counts", "outbox_events"}) {
        EXPECT_EQ(count(table), "0") << table;
    }
    emit(sql, Letter().attach("a", "text/plain", "x"));
    EXPECT_EQ(count("outbox_events"), "1");
}

TEST_F(MailEmitTest, refuses_with_every_fault_in_the_detail)
{
    sql.exec(
        "create function caught(message jsonb) returns text language plpgsql as $$"
        "declare code text; detail text; begin perform outbox_emit_email(message); return 'no';"
        "exception when others then get stacked diagnostics code = returned_sqlstate, "
        "detail = pg_exception_detail; return code || ' ' || detail; end $$");
    EXPECT_EQ(
        sql.one("select caught($1::jsonb)", {Letter().drop("subject").drop("text").json()}),
        R"(22023 [{"fault": "is missing", "field": "subject"}, )"
        R"({"fault": "is missing, and so is html: one of them is wanted", "field": "text"}])");
    EXPECT_EQ(count("outbox_events"), "0");
}

TEST_F(MailEmitTest, takes_each_field_as_a_parameter_as_well)
{
    sql.exec("select outbox_emit_email(array['ann@x.example', 'bob@x.example'], 'Hi', 'letter', "
             "html_body => '<p>', attachments => jsonb_build_array(jsonb_build_object('fileName', "
             "'a.csv', 'contentType', 'text/csv', 'content', encode('a;b', 'base64'))), "
             "correlation_id => 'c-1', idempotency_key => 'k-1', "
             "not_before => '2100-01-01 00:00+00')");
    EXPECT_EQ(sql.rows("select to_addresses, subject, text_body, html_body, correlation_id, "
                       "idempotency_key from email_messages"),
              (std::vector<testing::Sql::Row>{
                  {"{ann@x.example,bob@x.example}", "Hi", "", "<p>", "c-1", "k-1"}}));
    EXPECT_EQ(sql.one("select next_retry_at from outbox_events"), "2100-01-01 00:00:00+00");
    EXPECT_EQ(sql.one("select next_try_at from email_status"), "2100-01-01 00:00:00+00");
}

TEST_F(MailEmitTest, answers_a_known_key_with_the_first_message)
{
    Letter letter;
    letter.text("idempotencyKey", "order-7");
    const MailIntake first = accept(letter);
    const MailIntake second = accept(letter.text("subject", "Another").drop("text"));
    EXPECT_TRUE(second.repeated);
    EXPECT_EQ(second.id, first.id);
    EXPECT_EQ(second.correlation_id, first.correlation_id);
    EXPECT_EQ(second.status, "NOT_YET_SENT");
    EXPECT_EQ(emit(sql, letter), std::to_string(first.id));
    EXPECT_EQ(count("email_messages"), "1");
    EXPECT_EQ(count("outbox_events"), "1");
}

TEST_F(MailEmitTest, makes_one_message_of_two_that_come_at_once_under_one_key)
{
    for (const std::string end : {"commit", "rollback"}) {
        const Letter letter = Letter().text("idempotencyKey", "key-" + end);
        sql.exec("begin");
        const std::string first = emit(sql, letter);
        std::string second;
        std::thread rival([&] {
            testing::Sql by(url);
            second = emit(by, letter);
        });
        testing::Sql watch(url);
        watch.await("select count(*) from pg_stat_activity where datname = current_database() "
                    "and wait_event_type = 'Lock'",
                    "1");
        sql.exec(end);
        rival.join();
        EXPECT_EQ(second == first, end == "commit");
    }
    EXPECT_EQ(count("email_messages"), "2");
    EXPECT_EQ(count("outbox_events"), "2");
}

TEST_F(MailEmitTest, needs_no_search_path_and_few_rights)
{
    sql.exec("create schema mine; drop role if exists mailer; create role mailer");
    pg::Options in_mine = options();
    in_mine.schema = "mine";
    ASSERT_TRUE(
        testing::run(context, migrate(context.get_executor(), in_mine, Deadline::after(patience))));
    sql.exec("insert into mine.email_rules (sender, document_types, attachment_types, "
             "max_attachments, max_attachment_bytes, max_total_bytes, max_recipients) "
             "values ('a@x.example', '{}', '{text/plain}', 1, 10, 100, 1);"
             "grant usage on schema mine to mailer; grant select on mine.email_rules to mailer;"
             "grant select, insert on mine.outbox_events, mine.email_messages to mailer;"
             "grant insert on mine.email_attachments, mine.email_recipients, mine.email_counts "
             "to mailer;"
             "grant usage on sequence mine.outbox_events_id_seq, mine.email_messages_id_seq, "
             "mine.email_attachments_id_seq to mailer; grant connect on database " +
             sql.one("select quote_ident(current_database())") + " to mailer");
    sql.exec("set role mailer; set search_path = pg_catalog");
    EXPECT_EQ(sql.one("select mine.outbox_emit_email($1::jsonb)",
                      {Letter().attach("a", "text/plain", "x").json()}),
              "1");
    // The second click's message goes again at the end, though its sender may not delete.
    for (int i = 0; i < 2; ++i) {
        sql.exec(
            "select mine.outbox_emit('order-1', 'Made', jsonb_build_object('email', $1::jsonb))",
            {Letter().json()});
    }
    sql.exec("reset role; reset search_path");
    EXPECT_EQ(count("mine.email_messages"), "2");
    EXPECT_EQ(count("outbox_events"), "0");
    sql.exec("drop owned by mailer; drop role mailer");
}

TEST_F(MailEmitTest, stores_the_message_of_an_event_with_other_steps_and_leaves_its_number)
{
    const std::int64_t event = emit_saga("order-1", Letter().attach("a", "text/plain", "x"));
    EXPECT_EQ(sql.one("select payloads from outbox_events"),
              R"({"a": 1, "email": {"message": 1}})");
    EXPECT_EQ(sql.one("select email_id from outbox_events"), "1");
    EXPECT_EQ(event_of(1), event);
    EXPECT_EQ(count("email_attachments"), "1");

    sql.exec("insert into outbox_events (aggregate_id, event_type, payloads) values ('order-2', "
             "'Made', jsonb_build_object('email', jsonb_build_object('payload', $1::jsonb)))",
             {Letter().json()});
    EXPECT_EQ(sql.one("select payloads from outbox_events where aggregate_id = 'order-2'"),
              R"({"email": {"message": 2}})");
}

TEST_F(MailEmitTest, refuses_an_event_whose_message_has_faults_or_is_another_event_s)
{
    const std::string into = "insert into outbox_events (aggregate_id, event_type, payloads) "
                             "values ('order-1', 'Made', jsonb_build_object('email', $1::jsonb))";
    EXPECT_NE(refusal(into, {Letter().drop("subject").json()}).find("subject is missing"),
              std::string::npos);
    EXPECT_NE(refusal(into, {Letter().text("idempotencyKey", "k").json()}).find("idempotencyKey"),
              std::string::npos);
    for (const std::string wrong : {"7", "null", "[]", "\"x\"", "{}"}) {
        EXPECT_NE(refusal(into, {wrong}), "") << wrong;
    }
    const std::int64_t sent = send();
    const std::string no = std::to_string(sent);
    for (const std::string& wrong :
         {std::string(R"({"message": 99})"), R"({"message": )" + no + "}",
          R"({"message": )" + no + R"(, "subject": "x"})", std::string(R"({"message": "1; drop"})"),
          std::string(R"({"message": 99999999999999999999999})"),
          std::string(R"({"message": -1})")}) {
        EXPECT_NE(refusal(into, {wrong}).find("names no stored message"), std::string::npos)
            << wrong;
    }
    EXPECT_EQ(count("outbox_events"), "1");
    EXPECT_EQ(count("email_messages"), "1");
}

TEST_F(MailEmitTest, takes_a_stored_message_that_waits_for_its_event)
{
    sql.exec("insert into email_messages (message_id, correlation_id, document_type, to_addresses, "
             "subject, text_body) values ('<1@x>', 'c', 'letter', '{a@x}', 's', 't');"
             "insert into outbox_events (aggregate_id, event_type, payloads) "
             "values ('order-1', 'Made', '{\"email\": {\"message\": 1}}')");
    EXPECT_EQ(sql.one("select email_id from outbox_events"), "1");
    EXPECT_EQ(sql.one("select m.event_id = e.id from email_messages m, outbox_events e"), "t");
}

TEST_F(MailEmitTest, keeps_no_message_of_an_event_that_was_there_already)
{
    const std::string click =
        "select outbox_emit('order-1', 'Made', jsonb_build_object('email', $1::jsonb))";
    const Letter letter = Letter().attach("a", "text/plain", "x");
    const std::string first = sql.one(click, {letter.json()});
    EXPECT_EQ(sql.one(click, {letter.json()}), first);
    EXPECT_EQ(count("email_messages"), "1");
    EXPECT_EQ(count("email_attachments"), "1");
    EXPECT_EQ(sql.one("select sum(messages) from email_counts"), "1");
}

TEST_F(MailEmitTest, leaves_alone_what_is_no_mail_of_ours)
{
    sql.exec("insert into outbox_events (aggregate_id, event_type, payloads) values "
             "('order-1', '!Made', '{\"email\": {\"to\": \"x\"}}'),"
             "('order-1', 'Made', '[\"email\"]'), ('order-1', 'Made', '\"email\"')");
    sql.exec("delete from email_rules");
    sql.exec("insert into outbox_events (aggregate_id, event_type, payloads) values "
             "('order-1', 'Made', '{\"email\": {\"anything\": 1}}')");
    EXPECT_EQ(sql.one("select count(*) from outbox_events where email_id is null"), "4");
    EXPECT_EQ(sql.one("select payloads from outbox_events where payloads @> "
                      "'{\"email\": {\"anything\": 1}}'"),
              R"({"email": {"anything": 1}})");
}

TEST_F(MailEmitTest, keeps_claims_of_events_from_touching_any_index)
{
    emit_saga("order-1");
    sql.exec("begin; update outbox_events set status = 'PROCESSING', claim_no = claim_no + 1;"
             "update outbox_events set lease_expires_at = now() + interval '1 minute'");
    EXPECT_EQ(sql.one("select pg_stat_get_xact_tuples_updated('outbox_events'::regclass)"), "2");
    EXPECT_EQ(sql.one("select pg_stat_get_xact_tuples_hot_updated('outbox_events'::regclass)"),
              "2");
    sql.exec("commit");
}

} // namespace
} // namespace sagabox::store
