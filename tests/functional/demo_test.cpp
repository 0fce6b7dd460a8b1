#include "http/raw_client_test.hpp"
#include "testing/postgres.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sagabox::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// The program with arguments, and what it writes to standard output. Ends with the object.
class Program {
public:
    explicit Program(std::vector<std::string> arguments)
    {
        int ends[2] = {};
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipe");
        }
        arguments.insert(arguments.begin(), SAGABOX_BINARY);
        std::vector<char*> argv;
        for (std::string& argument : arguments) {
            argv.push_back(argument.data());
        }
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::dup2(ends[1], STDOUT_FILENO);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        ::close(ends[1]);
        output_end_ = ends[0];
    }

    ~Program()
    {
        ::close(output_end_);
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void signal(int number) const { ::kill(pid_, number); }

    /// Reads until the output contains `text`; false at its end, or when `limit` has passed.
    [[nodiscard]] bool read_until(std::string_view text, milliseconds limit)
    {
        const auto end = std::chrono::steady_clock::now() + limit;
        while (output_.find(text) == std::string::npos) {
            const auto left =
                std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
            pollfd readable{output_end_, POLLIN, 0};
            if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) <= 0 ||
                !read_some()) {
                return false;
            }
        }
        return true;
    }

    /// Reads to the end of the output; the exit code, or -1 for a program that did not end by
    /// itself.
    [[nodiscard]] int wait_exit(milliseconds limit)
    {
        static_cast<void>(read_until(never_written, limit));
        if (!ended_) {
            return -1;
        }
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    [[nodiscard]] const std::string& output() const { return output_; }

private:
    static constexpr std::string_view never_written{"\0", 1};

    bool read_some()
    {
        char buffer[4096];
        const ssize_t length = ::read(output_end_, buffer, sizeof buffer);
        if (length <= 0) {
            ended_ = length == 0;
            return false;
        }
        output_.append(buffer, static_cast<std::size_t>(length));
        return true;
    }

    pid_t pid_ = -1;
    int output_end_ = -1;
    std::string output_;
    bool ended_ = false;
};

TEST(DemoOnce, plays_every_scenario_to_the_end_that_it_must_have)
{
    Program program({"demo", "--once"});
    EXPECT_EQ(program.wait_exit(seconds(90)), 0) << program.output();
    EXPECT_THAT(program.output(), EndsWith("9 of 9 scenarios ended as they must\n"));
    EXPECT_THAT(program.output(), Not(HasSubstr("NOT as it must be")));
}

TEST(DemoOnce, fails_when_it_is_interrupted_and_stops_at_once)
{
    Program program({"demo", "--once"});
    ASSERT_TRUE(program.read_until("3. ", seconds(60))) << program.output();
    program.signal(SIGINT);
    EXPECT_EQ(program.wait_exit(seconds(15)), 1) << program.output();
    EXPECT_THAT(program.output(), HasSubstr("stopped by the user"));
}

/// A folder that the embedded server's own user can reach.
class DataFolder {
public:
    DataFolder()
    {
        std::string pattern = "/var/tmp/sagabox-demo-XXXXXX";
        path_ = ::mkdtemp(pattern.data());
        std::filesystem::permissions(path_, std::filesystem::perms(0755));
    }
    ~DataFolder() { std::filesystem::remove_all(path_); }
    DataFolder(const DataFolder&) = delete;
    DataFolder& operator=(const DataFolder&) = delete;
    [[nodiscard]] std::string path() const { return path_ + "/data"; }

private:
    std::string path_;
};

class RunningDemo : public ::testing::Test {
protected:
    void TearDown() override
    {
        program.signal(SIGINT);
        EXPECT_EQ(program.wait_exit(seconds(20)), 0) << program.output();
    }
    void SetUp() override { ASSERT_TRUE(program.read_until("Every step", seconds(60))); }

    [[nodiscard]] std::string between(std::string_view begin, std::string_view end) const
    {
        const std::string& text = program.output();
        const std::size_t from = text.find(begin) + begin.size();
        return text.substr(from, text.find(end, from) - from);
    }

    std::string send(const std::string& method, const std::string& target, const std::string& body)
    {
        const auto port = static_cast<std::uint16_t>(std::stoi(between("localhost:", "\n")));
        http::RawClient client(port);
        client.send(method + " " + target +
                    " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "Content-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
        return client.read_answer();
    }

    void order()
    {
        EXPECT_THAT(
            send("POST", "/api/orders",
                 R"({"customerId": "ada", "totalAmount": 12.50, "shippingType": "domestic"})"),
            HasSubstr(" 201 "));
    }

    DataFolder folder;
    Program program{{"demo", "--port", "0", "--data", folder.path()}};
};

TEST_F(RunningDemo, confirms_orders_by_letters_through_whichever_provider_works)
{
    Sql sql(between("psql '", "'"));
    order();
    sql.await("select count(*) from email_status where status = 'SUCCESS_SENT'", "1");
    send("PUT", "/api/simulators/failure-rates", R"({"mail.first": 1})");
    order();
    sql.await("select count(*) from email_status where status = 'SUCCESS_SENT'", "2");
    send("PUT", "/api/simulators/failure-rates", R"({"mail.second": 1})");
    order();
    sql.await("select count(*) from email_status where status = 'SUCCESS_SENT'", "3");
    EXPECT_EQ(sql.one("select string_agg(provider, ' ' order by id) from email_status"),
              "first second smtp");
    const std::string mailbox = send("GET", "/api/simulators/mailbox", "");
    for (const char* provider : {"first", "second", "smtp"}) {
        EXPECT_THAT(mailbox, HasSubstr("\"provider\":\"" + std::string(provider) + "\""));
    }
    EXPECT_THAT(mailbox, HasSubstr("Your order 3 is confirmed"));
    EXPECT_EQ(sql.one("select count(*) from email_attachments where content_type = "
                      "'application/pdf'"),
              "3");
}

TEST_F(RunningDemo, calls_services_that_are_as_slow_and_as_busy_as_one_says)
{
    Sql sql(between("psql '", "'"));
    send("PUT", "/api/simulators/latencies", R"({"inventory.reserve": 300, "mail.smtp": 300})");
    send("PUT", "/api/simulators/failure-rates", R"({"mail.first": 1, "mail.second": 1})");
    order();
    sql.await("select count(*) from email_status where status = 'SUCCESS_SENT'", "1");
    for (const char* slow : {"inventory", "email"}) {
        EXPECT_EQ(sql.one("select bool_and(duration_ms >= 300) from aggregate_results where "
                          "success and destination = '" +
                          std::string(slow) + "'"),
                  "t")
            << slow;
    }

    send("PUT", "/api/simulators/rate-limits", R"({"fraudCheck.check": 1})");
    std::string answer = " 200 ";
    for (int calls = 0; calls < 1'000 && answer.find(" 200 ") != std::string::npos; ++calls) {
        answer = send("POST", "/api/fraud/check", "{}");
    }
    EXPECT_THAT(answer, HasSubstr(" 429 "));
    EXPECT_THAT(answer, HasSubstr("Retry-After: 1"));
    order();
    sql.await("select count(*) from orders where order_status = 'CONFIRMED'", "2");
}

} // namespace
} // namespace sagabox::testing
