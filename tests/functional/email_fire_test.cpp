// A provider dies under a thousand messages, and a relay with it.
#include "tests/functional/email_fixture.hpp"

#include <map>
#include <set>

namespace sagabox::testing {
namespace {

using Json = nlohmann::json;

constexpr int messages = 1'000;

class UnderFire : public EmailTest {
protected:
    void count(const SmtpServer& server)
    {
        for (const Json& message : server.told("message")) {
            ++arrived[message.at("message_id").get<std::string>()];
        }
    }

    std::map<std::string, int> arrived; ///< by Message-ID
};

TEST_F(UnderFire, every_message_arrives_and_none_twice_but_those_whose_outcome_was_unknown)
{
    auto first = std::make_unique<SmtpServer>();
    const std::uint16_t port = first->port();
    SmtpServer second;
    const Config wanted =
        mail_config({smtp("first", port), smtp("second", second.port())},
                    "backoff { kind = linear, base = 200 milliseconds, max = 1 second }");
    publish(wanted);
    auto doomed = std::make_unique<StartedRelay>(wanted);
    const StartedRelay survivor(wanted);

    sql->exec("select outbox_emit_email(jsonb_build_object('to', jsonb_build_array('a' || n || "
              "'@x.example'), 'subject', 'Letter ' || n, 'text', 'Some words.', "
              "'documentType', 'letter')) from generate_series(1, " +
              std::to_string(messages) + ") n");
    ASSERT_TRUE(first->wait_for("message", messages / 10));
    doomed->kill();
    ASSERT_TRUE(first->wait_for("message", messages / 4));
    first->kill(); // in the middle of whatever it was told
    count(*first);
    first.reset();
    ASSERT_TRUE(second.wait_for("message", messages / 10));
    // What it may have taken without saying so waits for it alone.
    first = std::make_unique<SmtpServer>(Json{{"port", port}});

    sql->await("select count(*) from email_status where status <> 'SUCCESS_SENT'", "0");
    first->kill();
    second.kill();
    count(*first);
    count(second);

    std::set<std::string> doubted;
    for (const Sql::Row& row :
         sql->rows("select distinct m.message_id from email_messages m join aggregate_results r "
                   "on r.event_id = m.event_id where r.outcome = 'unknown' or r.interrupted > 0")) {
        doubted.insert(row[0]);
    }
    int twice = 0;
    for (const Sql::Row& row : sql->rows("select message_id from email_messages")) {
        const int times = arrived[row[0]];
        EXPECT_GE(times, 1) << row[0] << " is nowhere";
        if (times > 1) {
            ++twice;
            EXPECT_TRUE(doubted.contains(row[0])) << row[0] << " came " << times << " times";
        }
    }
    EXPECT_EQ(arrived.size(), static_cast<std::size_t>(messages));
    RecordProperty("doubted", static_cast<int>(doubted.size()));
    RecordProperty("twice", twice);
    std::cout << messages << " messages, " << doubted.size() << " of unknown outcome, " << twice
              << " came twice, " << second.count("message") << " by the second provider\n";
}

} // namespace
} // namespace sagabox::testing
