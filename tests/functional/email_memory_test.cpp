// A hundred megabytes of attachments are under way at once, and the relay does not hold them at
// once.
#include "tests/functional/email_fixture.hpp"

#include <fstream>

namespace sagabox::testing {
namespace {

constexpr int messages = 20;
constexpr int attachment_bytes = 5'000'000;
constexpr long kibibytes_of_mail = 16 * 1024; ///< `email.memory`

/// The most memory that a process has ever had, in KiB.
long high_water(int pid)
{
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    std::string word;
    while (status >> word) {
        if (word == "VmHWM:") {
            long kibibytes = 0;
            status >> kibibytes;
            return kibibytes;
        }
    }
    return 0;
}

TEST_F(EmailTest, in_flight_takes_no_more_memory_than_its_bound_says)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps what was freed, and shadows what was not";
#endif
    const SmtpServer server;
    const Config wanted = mail_config({smtp("main", server.port())}, "memory = 16 MiB");
    publish(wanted);
    const StartedRelay relay(wanted);
    await_mail(write("warm@x.example"), "SUCCESS_SENT");
    const long before = high_water(relay.pid());

    sql->exec("select outbox_emit_email(jsonb_build_object('to', jsonb_build_array('a@x.example'), "
              "'subject', 'Large', 'text', 't', 'documentType', 'letter', 'attachments', "
              "jsonb_build_array(jsonb_build_object('fileName', 'large.txt', 'contentType', "
              "'text/plain', 'content', encode(convert_to(repeat('x', " +
              std::to_string(attachment_bytes) +
              "), 'UTF8'), 'base64'))))) from generate_series(1, " + std::to_string(messages) +
              ")");
    for (int left = messages - 5; left >= 0; left -= 5) {
        sql->await("select count(*) <= " + std::to_string(left) +
                       " from email_status where status <> 'SUCCESS_SENT'",
                   "t");
    }

    ASSERT_TRUE(server.wait_for("message", static_cast<std::size_t>(messages) + 1));
    const long grown = high_water(relay.pid()) - before;
    std::cout << messages * attachment_bytes / 1'000'000 << " MB of attachments grew the relay by "
              << grown << " KiB\n";
    // The bound counts what is held; beside it, one attachment is on its way from the database.
    EXPECT_LT(grown, kibibytes_of_mail + 24 * 1024);
}

TEST_F(EmailTest, larger_than_the_bound_is_not_held_up_by_small_ones_that_always_find_room)
{
    const SmtpServer server;
    const Config wanted = mail_config({smtp("main", server.port())}, "memory = 1 MiB");
    publish(wanted);
    constexpr int small = 300;
    static_cast<void>(write(
        "a@x.example", "Large",
        sql->one("select jsonb_build_object('attachments', jsonb_build_array("
                 "jsonb_build_object('fileName', 'l.txt', 'contentType', 'text/plain', "
                 "'content', encode(convert_to(repeat('x', 3000000), 'UTF8'), 'base64'))))")));
    for (int i = 0; i < small; ++i) {
        static_cast<void>(write("b@x.example", "Small"));
    }
    const StartedRelay relay(wanted);
    ASSERT_TRUE(server.wait_for("message", small + 1));
    std::size_t place = 0;
    while (server.message(place).at("subject") != "Large") {
        ++place;
    }
    EXPECT_LT(place, small / 2);
}

} // namespace
} // namespace sagabox::testing
