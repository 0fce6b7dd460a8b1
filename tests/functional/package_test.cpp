// The Debian package: built, installed below a root of its own, started as the unit starts it,
// stopped, removed.
#include "tests/functional/saga_fixture.hpp"
#include "tests/functional/shell.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace sagabox::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// The package, built once for all tests of this program.
const fs::path& package()
{
    static const fs::path file = [] {
        const fs::path folder = fs::path(::testing::TempDir()) / "sagabox-package";
        fs::remove_all(folder);
        const ShellRun run =
            shell("cd " SAGABOX_BUILD_DIR " && cpack -G DEB -B " + folder.string());
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() == ".deb") {
                return entry.path();
            }
        }
        throw std::runtime_error("no package: " + run.output);
    }();
    return file;
}

std::string text_of(const fs::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A root that knows no package but ours.
class Root {
public:
    Root()
    {
        std::string pattern = ::testing::TempDir() + "sagabox-root-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
        fs::create_directories(folder_ / "var/lib/dpkg/updates");
        fs::create_directories(folder_ / "var/lib/dpkg/info");
        std::ofstream(folder_ / "var/lib/dpkg/status");
        fs::permissions(folder_, fs::perms(0755)); // another user starts the program
    }
    ~Root() { fs::remove_all(folder_); }
    Root(const Root&) = delete;
    Root& operator=(const Root&) = delete;

    [[nodiscard]] fs::path operator/(const std::string& path) const { return folder_ / path; }
    [[nodiscard]] std::string path() const { return folder_.string(); }

    /// What the package depends on is looked for on the machine itself.
    [[nodiscard]] ShellRun dpkg(const std::string& arguments) const
    {
        return shell("dpkg --root=" + path() +
                     " --force-depends --force-script-chrootless --log=/dev/null " + arguments);
    }

private:
    fs::path folder_;
};

class Package : public SagaTest {
protected:
    void SetUp() override
    {
        if (shell("command -v dpkg dpkg-shlibdeps cpack").code != 0) {
            GTEST_SKIP() << "this machine has no dpkg, dpkg-shlibdeps and cpack";
        }
    }
};

TEST_F(Package, names_what_it_needs_and_guards_the_configuration)
{
    const std::string about = shell("dpkg-deb --field " + package().string()).output;
    EXPECT_THAT(about, HasSubstr("Package: sagabox\n"));
    EXPECT_THAT(about, HasSubstr("libpq5"));
    EXPECT_THAT(about, HasSubstr("libcurl4"));
    EXPECT_EQ(shell("dpkg-deb --info " + package().string() + " conffiles").output,
              "/etc/sagabox/sagabox.conf\n");
    const std::string files = shell("dpkg-deb --contents " + package().string()).output;
    for (const char* file :
         {"./usr/bin/sagabox", "./usr/lib/systemd/system/sagabox.service",
          "./etc/sagabox/sagabox.conf", "./usr/share/man/man1/sagabox.1.gz",
          "./usr/share/bash-completion/completions/sagabox", "./usr/share/doc/sagabox/copyright",
          "./usr/share/doc/sagabox/configuration.md"}) {
        EXPECT_THAT(files, HasSubstr(std::string(file) + "\n"));
    }
}

TEST_F(Package, is_installed_works_as_a_user_without_rights_is_removed_and_purged)
{
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root installs packages";
    }
    const Root root;
    const ShellRun installed = root.dpkg("--install " + package().string());
    ASSERT_EQ(installed.code, 0) << installed.output;
    const std::string program = (root / "usr/bin/sagabox").string();
    const std::string file = (root / "etc/sagabox/sagabox.conf").string();
    EXPECT_EQ(shell(program + " check -c " + file).code, 0);

    // As the unit does it: the shipped configuration, the address from the environment, no rights.
    const std::string as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    // The socket's folder is closed to other users.
    const std::string address =
        fmt::format("postgresql://{}@127.0.0.1:{}/{}", sql->one("select current_user"),
                    Postgres::instance().cluster().port(), sql->one("select current_database()"));
    const fs::path log = root / "relay.log";
    const std::string port = "SAGABOX_HTTP_TOKEN=package-test-token ";
    const ShellRun started = shell(
        "env DATABASE_URL='" + address + "' " + port + as_nobody + program + " run -c " + file +
        " > " + log.string() + " 2>&1 & relay=$!; for i in $(seq 200); do grep -q 'started:' " +
        log.string() + " && break; sleep 0.05; done; kill -TERM $relay; wait $relay");
    EXPECT_EQ(started.code, 0) << text_of(log);
    EXPECT_THAT(text_of(log), HasSubstr("stopped"));

    ASSERT_EQ(root.dpkg("--remove sagabox").code, 0);
    EXPECT_FALSE(fs::exists(program));
    EXPECT_TRUE(fs::exists(file)) << "what was configured outlives the program";
    ASSERT_EQ(root.dpkg("--purge sagabox").code, 0);
    EXPECT_FALSE(fs::exists(file));
}

TEST_F(Package, brings_a_unit_that_systemd_accepts_and_calls_well_guarded)
{
    if (shell("command -v systemd-analyze").code != 0) {
        GTEST_SKIP() << "this machine has no systemd-analyze";
    }
    const std::string unit = SAGABOX_SOURCE_DIR "/packaging/sagabox.service";
    // 10 is unguarded, 0 cut off from everything; most services of a distribution have 9.
    const ShellRun guarded =
        shell("systemd-analyze security --offline=true --threshold=20 " + unit);
    EXPECT_EQ(guarded.code, 0) << guarded.output;
    const ShellRun verified = shell("systemd-analyze verify --man=no " + unit);
    std::istringstream lines(verified.output);
    for (std::string line; std::getline(lines, line);) {
        // The program is not installed where this test runs.
        EXPECT_THAT(line, MatchesRegex(".*/usr/bin/sagabox is not executable.*")) << line;
    }
}

TEST_F(Package, prints_a_manual_page_that_man_reads_without_complaint)
{
    if (shell("command -v man").code != 0) {
        GTEST_SKIP() << "this machine has no man";
    }
    const ShellRun page = shell(
        SAGABOX_BINARY " man | LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -E UTF-8 -l -P cat -");
    EXPECT_EQ(page.code, 0);
    EXPECT_THAT(page.output, ::testing::Not(HasSubstr("warning:")));
    for (const char* words : {"dead-letters retry", "--config", "outbox.shutdownGrace"}) {
        EXPECT_THAT(page.output, HasSubstr(words));
    }
}

/// What bash offers after these words.
std::string offered(const std::string& words)
{
    return shell("bash -c 'source <(" SAGABOX_BINARY " completion bash); COMP_WORDS=(sagabox " +
                 words +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sagabox; echo \"${COMPREPLY[@]}\"'")
        .output;
}

TEST(Completion, offers_commands_options_and_choices_in_bash)
{
    EXPECT_THAT(offered("\"\""), HasSubstr("dead-letters"));
    EXPECT_EQ(offered("dead-"), "dead-letters\n");
    EXPECT_THAT(offered("dead-letters \"\""), HasSubstr("retry"));
    EXPECT_EQ(offered("dead-letters re"), "retry resolve\n");
    EXPECT_THAT(offered("events --st"), HasSubstr("--status"));
    EXPECT_EQ(offered("events --status CAN"), "CANCELLED\n");
    EXPECT_EQ(offered("run -c " SAGABOX_SOURCE_DIR "/packaging/sagabox.c"),
              SAGABOX_SOURCE_DIR "/packaging/sagabox.conf\n");
    EXPECT_EQ(offered("completion \"f\""), "fish\n");
}

TEST(Completion, is_a_script_that_each_shell_reads)
{
    for (const char* name : {"bash", "zsh", "fish"}) {
        const std::string shell_name = name;
        if (shell("command -v " + shell_name).code != 0) {
            continue;
        }
        const ShellRun read =
            shell(SAGABOX_BINARY " completion " + shell_name + " | " + shell_name + " -n");
        EXPECT_EQ(read.code, 0) << read.output;
        EXPECT_EQ(read.output, "") << name;
    }
}

} // namespace
} // namespace sagabox::testing
