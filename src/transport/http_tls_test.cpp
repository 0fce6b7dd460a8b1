// Certificates, against a real TLS server: `openssl s_server` with one that it signed itself.
#include "transport/http_calls_test.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sagabox::transport {
namespace {

class TlsServer {
public:
    /// `name` is what the certificate is for, such as `IP:127.0.0.1`.
    explicit TlsServer(const std::string& name)
    {
        std::string folder = ::testing::TempDir() + "tlsXXXXXX";
        folder_ = mkdtemp(folder.data());
        const std::string make =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
            "-subj /CN=stub -addext subjectAltName=" +
            name + " -keyout " + folder_ + "/key.pem -out " + certificate() + " 2>/dev/null";
        EXPECT_EQ(std::system(make.c_str()), 0);
        start();
    }
    ~TlsServer()
    {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        std::fclose(output_);
        std::filesystem::remove_all(folder_);
    }
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;

    std::string certificate() const { return folder_ + "/cert.pem"; }
    std::string url() const { return "https://127.0.0.1:" + port_ + "/?token=secret"; }

private:
    void start()
    {
        std::array<int, 2> pipe_ends{};
        ASSERT_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
        const std::string certificate_file = certificate();
        const std::string key_file = folder_ + "/key.pem";
        process_ = fork();
        if (process_ == 0) {
            dup2(pipe_ends[1], STDOUT_FILENO);
            execlp("openssl", "openssl", "s_server", "-www", "-accept", "127.0.0.1:0", "-cert",
                   certificate_file.c_str(), "-key", key_file.c_str(), nullptr);
            _exit(127);
        }
        close(pipe_ends[1]);
        output_ = fdopen(pipe_ends[0], "r");
        std::array<char, 256> line{};
        while (std::fgets(line.data(), line.size(), output_) != nullptr) {
            const std::string_view text(line.data());
            if (text.starts_with("ACCEPT ")) {
                port_ = text.substr(text.rfind(':') + 1);
                port_.pop_back();
                return;
            }
        }
        FAIL() << "openssl s_server did not start";
    }

    std::string folder_;
    std::string port_;
    pid_t process_ = 0;
    std::FILE* output_ = nullptr;
};

TEST_F(HttpCalls, a_certificate_of_unknown_origin_is_refused_and_nothing_sent)
{
    const TlsServer server("IP:127.0.0.1");
    HttpRequest request = post("/");
    request.url = server.url();
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::not_sent);
    EXPECT_EQ(answer.status, 0);
    EXPECT_TRUE(answer.error.starts_with("certificate not valid: self")) << answer.error;
    EXPECT_EQ(answer.error.find("secret"), std::string::npos);
}

TEST_F(HttpCalls, a_certificate_for_another_name_is_refused)
{
    const TlsServer server("DNS:elsewhere.example");
    options.ca_file = server.certificate();
    HttpRequest request = post("/");
    request.url = server.url();
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::not_sent);
    EXPECT_EQ(answer.error, "certificate not valid: not for this host");
}

TEST_F(HttpCalls, a_trusted_certificate_is_accepted)
{
    const TlsServer server("IP:127.0.0.1");
    options.ca_file = server.certificate();
    HttpRequest request = get("/");
    request.url = server.url();
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::answered) << answer.error;
    EXPECT_EQ(answer.status, 200);
}

TEST_F(HttpCalls, a_peer_that_speaks_no_tls_is_not_sent)
{
    HttpRequest request = post("/");
    request.url = "https://127.0.0.1:" + std::to_string(stub.port()) + "/";
    request.timeout = 1s;
    const HttpAnswer answer = call(request);
    EXPECT_EQ(answer.delivery, Delivery::not_sent);
    EXPECT_EQ(stub.arrivals().size(), 0U);
}

} // namespace
} // namespace sagabox::transport
