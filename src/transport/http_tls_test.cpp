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

/// A self-signed certificate and its key, in a folder of their own.
class Certificate {
public:
    /// `name` is what it is for, such as `IP:127.0.0.1`; `encryption` an openssl option for the
    /// key.
    explicit Certificate(const std::string& name, const std::string& encryption = "-nodes")
    {
        std::string folder = ::testing::TempDir() + "tlsXXXXXX";
        folder_ = mkdtemp(folder.data());
        const std::string make =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 " + encryption +
            " -days 2 -subj /CN=stub -addext subjectAltName=" + name + " -keyout " + key() +
            " -out " + file() + " 2>/dev/null";
        EXPECT_EQ(std::system(make.c_str()), 0);
    }
    ~Certificate() { std::filesystem::remove_all(folder_); }
    Certificate(const Certificate&) = delete;
    Certificate& operator=(const Certificate&) = delete;

    std::string file() const { return folder_ + "/cert.pem"; }
    std::string key() const { return folder_ + "/key.pem"; }

private:
    std::string folder_;
};

class TlsServer {
public:
    /// With `client`, only who shows that certificate is served.
    explicit TlsServer(const std::string& name, const Certificate* client = nullptr)
        : own_(name), client_(client)
    {
        start();
    }
    ~TlsServer()
    {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        std::fclose(output_);
    }
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;

    std::string certificate() const { return own_.file(); }
    std::string url() const { return "https://127.0.0.1:" + port_ + "/?token=secret"; }

private:
    void start()
    {
        std::array<int, 2> pipe_ends{};
        ASSERT_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
        const std::string certificate_file = own_.file();
        const std::string key_file = own_.key();
        const std::string client_file = client_ != nullptr ? client_->file() : std::string();
        process_ = fork();
        if (process_ == 0) {
            dup2(pipe_ends[1], STDOUT_FILENO);
            // Where no client is asked for, the list ends before `-Verify`.
            const char* const verify = client_file.empty() ? nullptr : "-Verify";
            execlp("openssl", "openssl", "s_server", "-www", "-accept", "127.0.0.1:0", "-cert",
                   certificate_file.c_str(), "-key", key_file.c_str(), verify, "1",
                   "-verify_return_error", "-CAfile", client_file.c_str(), nullptr);
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

    Certificate own_;
    const Certificate* client_;
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

class OwnCertificates : public HttpCalls {
protected:
    HttpAnswer call_with(const TlsServer& server, std::optional<TlsFiles> tls)
    {
        HttpRequest request = get("/");
        request.url = server.url();
        request.tls = std::move(tls);
        return call(std::move(request));
    }
};

TEST_F(OwnCertificates, a_request_s_own_authority_is_trusted_for_that_request_alone)
{
    const TlsServer server("IP:127.0.0.1");
    EXPECT_EQ(call_with(server, TlsFiles{.ca_file = server.certificate()}).status, 200);
    const HttpAnswer after = call_with(server, std::nullopt);
    EXPECT_EQ(after.delivery, Delivery::not_sent);
    EXPECT_TRUE(after.error.starts_with("certificate not valid: self")) << after.error;
    EXPECT_EQ(call_with(server, TlsFiles{.ca_file = server.certificate()}).status, 200);
}

TEST_F(OwnCertificates, our_certificate_is_shown_where_the_request_has_one)
{
    const Certificate ours("DNS:relay.example");
    const TlsServer server("IP:127.0.0.1", &ours);
    const HttpAnswer shown =
        call_with(server, TlsFiles{server.certificate(), ours.file(), ours.key(), ""});
    EXPECT_EQ(shown.status, 200) << shown.error;
    EXPECT_NE(call_with(server, TlsFiles{.ca_file = server.certificate()}).status, 200);
}

TEST_F(OwnCertificates, an_encrypted_key_wants_its_password)
{
    const Certificate ours("DNS:relay.example", "-passout pass:open-sesame");
    const TlsServer server("IP:127.0.0.1", &ours);
    EXPECT_EQ(
        call_with(server, TlsFiles{server.certificate(), ours.file(), ours.key(), "open-sesame"})
            .status,
        200);
    const HttpAnswer locked =
        call_with(server, TlsFiles{server.certificate(), ours.file(), ours.key(), "wrong"});
    EXPECT_EQ(locked.delivery, Delivery::not_sent);
    EXPECT_EQ(locked.error, "our certificate or its key can't be used; see tls.certificateFile, "
                            "tls.keyFile and tls.keyPassword");
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
