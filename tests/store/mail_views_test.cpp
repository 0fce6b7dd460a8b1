#include "sql.hpp"
#include "tests/store/mail_fixture.hpp"

namespace sagabox::store {
namespace {

using Ids = std::vector<std::int64_t>;

class MailViewsTest : public MailTest {
protected:
    Ids list(MailFilter filter)
    {
        Ids ids;
        for (const MailView& mail :
             must(list_mail(*connection, std::move(filter), Deadline::after(patience)))) {
            ids.push_back(mail.id);
        }
        return ids;
    }
};

TEST_F(MailViewsTest, lists_newest_first_page_by_page)
{
    for (int i = 0; i < 5; ++i) {
        send();
    }
    MailFilter filter;
    filter.limit = 2;
    EXPECT_EQ(list(filter), (Ids{5, 4}));
    filter.before = 4;
    EXPECT_EQ(list(filter), (Ids{3, 2}));
    filter.before = 2;
    EXPECT_EQ(list(filter), (Ids{1}));
    filter.before.reset();
    filter.limit = -1;
    EXPECT_EQ(list(filter), (Ids{5}));
}

TEST_F(MailViewsTest, lists_what_every_combination_of_filters_selects)
{
    send(Letter().text("to", "Ann <Ann@X.example>").text("correlationId", "c-1"));
    send(Letter().text("documentType", "invoice").text("correlationId", "c-1"));
    send(Letter().text("documentType", "invoice").text("bcc", "eve@x.example"));
    fail_mail(send(Letter().text("cc", "eve@x.example").text("correlationId", "c-1")));

    const std::map<std::int64_t, std::array<std::string, 4>> truth{
        {1, {"NOT_YET_SENT", "letter", "c-1", "ann@x.example"}},
        {2, {"NOT_YET_SENT", "invoice", "c-1", "ann@x.example"}},
        {3, {"NOT_YET_SENT", "invoice", "other", "ann@x.example eve@x.example"}},
        {4, {"FAILED_RETRIES_EXHAUSTED", "letter", "c-1", "ann@x.example eve@x.example"}},
    };
    for (const std::string status : {"", "NOT_YET_SENT", "FAILED_RETRIES_EXHAUSTED"}) {
        for (const std::string type : {"", "letter", "invoice"}) {
            for (const std::string correlation : {"", "c-1"}) {
                for (const std::string recipient : {"", "EVE@x.example", "ann@x.example"}) {
                    MailFilter filter;
                    filter.status = status;
                    filter.document_type = type;
                    filter.correlation_id = correlation;
                    filter.recipient = recipient;
                    const std::string wanted = recipient == "EVE@x.example" ? "eve@x" : recipient;
                    Ids expected;
                    for (auto one = truth.rbegin(); one != truth.rend(); ++one) {
                        const auto& [has_status, has_type, has_correlation, has] = one->second;
                        if ((status.empty() || status == has_status) &&
                            (type.empty() || type == has_type) &&
                            (correlation.empty() || correlation == has_correlation) &&
                            has.find(wanted) != std::string::npos) {
                            expected.push_back(one->first);
                        }
                    }
                    EXPECT_EQ(list(filter), expected)
                        << status << " " << type << " " << correlation << " " << recipient;
                }
            }
        }
    }
}

TEST_F(MailViewsTest, shows_a_message_with_its_attachments_and_every_try)
{
    const std::int64_t id =
        send(Letter().text("html", "<p>").attach("a.csv", "text/csv", "a").text("to", "A <a@x>"));
    const std::int64_t event = event_of(id);
    write(take(event),
          {try_of(event, core::Outcome::failed, "421 busy"),
           try_of(event, core::Outcome::succeeded, "", 1, "backup")},
          Finished{});
    const auto story = must(get_mail(*connection, id, Deadline::after(patience)));
    ASSERT_TRUE(story.has_value());
    EXPECT_EQ(story->mail.status, "SUCCESS_SENT");
    EXPECT_EQ(story->mail.event.value, event);
    EXPECT_EQ(story->mail.to, std::vector<std::string>{"A <a@x>"});
    EXPECT_TRUE(story->mail.ended_at.has_value());
    EXPECT_FALSE(story->mail.next_try_at.has_value());
    EXPECT_EQ(story->text, "It is on its way.");
    EXPECT_EQ(story->html, "<p>");
    ASSERT_EQ(story->attachments.size(), 1U);
    EXPECT_EQ(story->attachments[0].bytes, 1);
    ASSERT_EQ(story->tries.size(), 2U);
    EXPECT_EQ(story->tries[0].error, "421 busy");
    EXPECT_EQ(story->tries[1].outcome, core::Outcome::succeeded);
    EXPECT_FALSE(must(get_mail(*connection, 99, Deadline::after(patience))).has_value());
}

TEST_F(MailViewsTest, counts_each_status_and_folds_where_many_rows_have_gathered)
{
    send();
    fail_mail(send());
    sql.exec("insert into email_counts select 'IN_PROCESS', i % 2 * 2 - 1 "
             "from generate_series(1, 10000) i");
    std::string counts;
    for (const MailCount& one : must(count_mail(*connection, Deadline::after(patience)))) {
        counts += one.status + " " + std::to_string(one.messages) + "\n";
    }
    EXPECT_EQ(counts, "NOT_YET_SENT 1\nIN_PROCESS 0\nREQUIRED_RESEND 0\nSUCCESS_SENT 0\n"
                      "FAILED_NOT_RETRYABLE 0\nFAILED_RETRIES_EXHAUSTED 1\n");
    EXPECT_EQ(count("email_counts"), "2");
}

TEST_F(MailViewsTest, never_looks_through_all_messages)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : planner_settings()) {
        sql.exec("select set_config('" + name + "', '" + value + "', false)");
    }
    // Planned on empty tables, as a relay that starts first plans them.
    for (const pg::Statement* s :
         {&sagabox::sql::list_mail, &sagabox::sql::list_mail_of_type, &sagabox::sql::list_mail_to,
          &sagabox::sql::list_mail_of_correlation, &sagabox::sql::get_mail,
          &sagabox::sql::load_mail, &sagabox::sql::load_mail_attachments,
          &sagabox::sql::load_mail_attachment_piece, &sagabox::sql::purge_mail}) {
        sql.exec("prepare " + std::string(s->name) + " as " + std::string(s->text));
        names.emplace_back(s->name);
    }
    for (const std::string& name : names) {
        const std::string arguments = sql.one(
            "select array_to_string(array_fill('null'::text, array[cardinality(parameter_types)]), "
            "',') from pg_prepared_statements where name = $1",
            {name});
        std::string plan;
        for (const auto& row : sql.rows("explain execute " + name + "(" + arguments + ")")) {
            plan += row[0] + "\n";
        }
        EXPECT_EQ(plan.find("Seq Scan"), std::string::npos) << name << "\n" << plan;
        // An index without a condition is a table scan in disguise.
        const auto lines = sql.rows("explain execute " + name + "(" + arguments + ")");
        for (std::size_t line = 0; line < lines.size(); ++line) {
            if (lines[line][0].find(" using ") != std::string::npos) {
                EXPECT_NE(lines.at(line + 1)[0].find("Index Cond"), std::string::npos)
                    << name << "\n"
                    << plan;
            }
        }
    }
}

} // namespace
} // namespace sagabox::store
