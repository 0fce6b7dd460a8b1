#pragma once

#include "pg/embedded.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sagabox::testing {

/// A cluster of its own in a folder, not durable. Throws `std::runtime_error`.
[[nodiscard]] std::unique_ptr<pg::EmbeddedCluster>
start_cluster(const std::filesystem::path& folder);

/// One private PostgreSQL for this test process, started at first use and removed at exit.
class Postgres {
public:
    [[nodiscard]] static Postgres& instance();

    /// The URL of a new, empty database.
    [[nodiscard]] std::string fresh_database();

    [[nodiscard]] pg::EmbeddedCluster& cluster() { return *cluster_; }

    ~Postgres();
    Postgres(const Postgres&) = delete;
    Postgres& operator=(const Postgres&) = delete;

private:
    Postgres();

    std::filesystem::path folder_;
    std::unique_ptr<pg::EmbeddedCluster> cluster_;
    int databases_ = 0;
};

/// A blocking client, for what a test does and looks at behind the back of the code under test.
/// Every failure is thrown as `std::runtime_error`.
class Sql {
public:
    using Row = std::vector<std::string>; ///< NULL reads as an empty string
    using Parameters = std::vector<std::optional<std::string>>;

    explicit Sql(const std::string& url);
    ~Sql();
    Sql(const Sql&) = delete;
    Sql& operator=(const Sql&) = delete;

    /// Several statements, separated by semicolons.
    void exec(const std::string& text);
    void exec(const std::string& text, const Parameters& parameters);

    [[nodiscard]] std::vector<Row> rows(const std::string& text, const Parameters& parameters = {});

    /// The first column of the only row.
    [[nodiscard]] std::string one(const std::string& text, const Parameters& parameters = {});

    /// Runs `text` again and again until its only value is `expected`; throws after 20 s. For what
    /// another session does, which tells nobody when it is done.
    void await(const std::string& text, const std::string& expected);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace sagabox::testing
