#include "tests/functional/api_fixture.hpp"
#include "tests/functional/program_run.hpp"

namespace sagabox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RecordCommands : public ApiRelayTest {
protected:
    /// Runs `sagabox <command> -c FILE <rest>` on this database.
    ProgramRun sagabox(const std::string& command, const std::string& rest = "")
    {
        const std::string file = relay_->config_file().string();
        return run_program(command + " -c " + file + " " + rest);
    }

    void start(const Config& text) { relay_ = std::make_unique<StartedRelay>(text); }

    std::unique_ptr<StartedRelay> relay_;
};

TEST_F(RecordCommands, list_events_and_say_how_the_outbox_fares)
{
    start(abc());
    const std::string event = emit("order-1", "Made");
    await_status(event, "PROCESSED");
    const ProgramRun list = sagabox("events", "--status PROCESSED --type Made --limit 5");
    EXPECT_EQ(list.code, 0) << list.output;
    EXPECT_THAT(list.output, AllOf(HasSubstr("AGGREGATE"), HasSubstr("order-1")));
    const ProgramRun none = sagabox("events", "--aggregate order-2 --json");
    EXPECT_EQ(none.code, 0);
    EXPECT_EQ(none.output, "{\"next\":null,\"items\":[]}\n");
    const ProgramRun status = sagabox("status");
    EXPECT_EQ(status.code, 0) << status.output;
    EXPECT_THAT(status.output, HasSubstr("PROCESSED"));
    const ProgramRun json = sagabox("status", "--json");
    EXPECT_EQ(json::parse(json.output).has_value(), true) << json.output;
}

TEST_F(RecordCommands, show_no_control_characters_of_what_is_stored)
{
    start(abc());
    emit("\033[31mred\u202e", "Made");
    const ProgramRun list = sagabox("events");
    EXPECT_EQ(list.code, 0);
    EXPECT_THAT(list.output,
                AllOf(HasSubstr("?[31mred?"), Not(HasSubstr("\033")), Not(HasSubstr("\u202e"))));
}

TEST_F(RecordCommands, give_letters_back_and_close_them)
{
    Config text = abc();
    stub.on("/b/undo", answer(400)).then(answer(400));
    stub.on("/c", answer(422));
    start(text);
    const std::string event = emit("order-1", "Made");
    await_letter(event, "FAILED");
    const std::string id = letter(event, "id");
    EXPECT_THAT(sagabox("dead-letters list", "--status FAILED").output, HasSubstr("b.revert"));
    EXPECT_THAT(sagabox("dead-letters show", id).output, HasSubstr("NON_RETRYABLE_ERROR"));
    EXPECT_EQ(sagabox("dead-letters show", "999").code, 1);

    EXPECT_EQ(sagabox("dead-letters retry", id).code, 0);
    sql->await("select count(*) from aggregate_results where destination = 'b.revert'", "2");
    await_letter(event, "FAILED");
    const ProgramRun closed =
        sagabox("dead-letters resolve", id + " --note 'paid back' --by Ann --json");
    EXPECT_EQ(closed.code, 0) << closed.output;
    EXPECT_THAT(closed.output, HasSubstr("RESOLVED"));
    EXPECT_EQ(letter(event, "resolution_note || ' by ' || resolved_by"), "paid back by Ann");
    EXPECT_EQ(sagabox("dead-letters resolve", id + " --note again").code, 1);
}

TEST_F(RecordCommands, delete_what_ended_long_enough_ago_and_keep_what_waits_for_a_person)
{
    Config text = abc();
    stub.on("/b/undo", answer(400));
    start(text);
    await_status(emit("order-1", "Made"), "PROCESSED");
    stub.on("/c", answer(422));
    const std::string failing = emit("order-2", "Made");
    await_letter(failing, "FAILED");
    stub.on("/c", answer(200));
    sql->exec("update outbox_events set created_at = now() - interval '3 days', "
              "status_changed_at = now() - interval '3 days'");
    await_status(emit("order-3", "Made"), "PROCESSED");

    const ProgramRun nothing = sagabox("purge");
    EXPECT_EQ(nothing.code, 0) << nothing.output;
    EXPECT_EQ(nothing.output, "deleted 0 events, 0 results, 0 dead letters, 0 messages\n")
        << "the retention is a week";
    const ProgramRun some = sagabox("purge", "--older-than '2 days' --json");
    EXPECT_EQ(some.code, 0) << some.output;
    EXPECT_THAT(some.output, AllOf(HasSubstr("\"events\":1"), HasSubstr("\"results\":3")));
    EXPECT_EQ(sql->one("select string_agg(aggregate_id, ' ' order by id) from outbox_events"),
              "order-2 order-3");
    const ProgramRun wrong = sagabox("purge", "--older-than soon");
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.output, HasSubstr("--older-than: "));
}

TEST_F(RecordCommands, refuse_what_makes_no_sense)
{
    start(abc());
    EXPECT_EQ(sagabox("events", "--status LOST").code, 2);
    EXPECT_EQ(sagabox("events", "--limit 0").code, 2);
    EXPECT_EQ(sagabox("events", "--before x").code, 2);
    EXPECT_EQ(sagabox("dead-letters show", "-- -1").code, 2);
    EXPECT_EQ(sagabox("dead-letters resolve", "1").code, 2);
    EXPECT_EQ(sagabox("emails resend").code, 2);
    EXPECT_EQ(sagabox("emails resend", "1 --all").code, 2);
    EXPECT_EQ(sagabox("emails resend", "1").code, 1);
    EXPECT_EQ(sagabox("emails show", "1").code, 1);
    EXPECT_EQ(sagabox("emails list").code, 0);
    EXPECT_EQ(sagabox("emails resend", "--all --status FAILED_NOT_RETRYABLE").code, 0);
    EXPECT_EQ(run_program("dead-letters").code, 2);
    for (const char* command : {"events", "status", "dead-letters", "dead-letters list",
                                "dead-letters resolve", "emails", "emails resend"}) {
        const ProgramRun run = run_program(std::string(command) + " --help");
        EXPECT_EQ(run.code, 0) << command;
        EXPECT_THAT(run.output, HasSubstr("Usage")) << command;
    }
}

} // namespace
} // namespace sagabox::testing
