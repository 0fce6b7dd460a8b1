#include "testing/postgres.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <libpq-fe.h>

namespace sagabox::testing {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_prefix = "sagabox-test-";

// A test that was killed could not clean up: a later one does.
void remove_left_behind()
{
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/tmp", error)) {
        if (!entry.path().filename().string().starts_with(folder_prefix)) {
            continue;
        }
        pid_t owner = 0;
        std::ifstream(entry.path() / "lock") >> owner;
        if (owner > 0 && kill(owner, 0) != 0) {
            fs::remove_all(entry.path(), error);
        }
    }
}

fs::path make_folder()
{
    std::string name = fmt::format("/tmp/{}XXXXXX", folder_prefix);
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no folder for a test cluster under /tmp");
    }
    return name;
}

} // namespace

std::unique_ptr<pg::EmbeddedCluster> start_cluster(const fs::path& folder)
{
    pg::EmbeddedCluster::Options options;
    options.folder = folder;
    options.durable = false;
    auto started = pg::EmbeddedCluster::start(std::move(options));
    if (!started) {
        throw std::runtime_error(started.error().text());
    }
    return std::move(*started);
}

Postgres& Postgres::instance()
{
    static Postgres one;
    return one;
}

Postgres::Postgres()
{
    remove_left_behind();
    folder_ = make_folder();
    cluster_ = start_cluster(folder_);
}

Postgres::~Postgres()
{
    cluster_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::string Postgres::fresh_database()
{
    const std::string name = fmt::format("test_{}", ++databases_);
    Sql(cluster_->url("postgres")).exec(fmt::format("create database {} template template0", name));
    return cluster_->url(name);
}

struct Sql::Impl {
    explicit Impl(const std::string& url) : connection(PQconnectdb(url.c_str()), &PQfinish)
    {
        if (PQstatus(connection.get()) != CONNECTION_OK) {
            throw std::runtime_error(PQerrorMessage(connection.get()));
        }
        PQsetNoticeProcessor(
            connection.get(), [](void*, const char*) {}, nullptr);
    }

    using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

    Result checked(PGresult* raw)
    {
        Result result(raw, &PQclear);
        const ExecStatusType status = PQresultStatus(raw);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK &&
            status != PGRES_EMPTY_QUERY) {
            throw std::runtime_error(PQerrorMessage(connection.get()));
        }
        return result;
    }

    Result run(const std::string& text, const Parameters& parameters)
    {
        std::vector<const char*> values;
        for (const std::optional<std::string>& value : parameters) {
            values.push_back(value ? value->c_str() : nullptr);
        }
        return checked(PQexecParams(connection.get(), text.c_str(), static_cast<int>(values.size()),
                                    nullptr, values.data(), nullptr, nullptr, 0));
    }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection;
};

Sql::Sql(const std::string& url) : impl_(std::make_unique<Impl>(url)) {}

Sql::~Sql() = default;

void Sql::exec(const std::string& text)
{
    impl_->checked(PQexec(impl_->connection.get(), text.c_str()));
}

void Sql::exec(const std::string& text, const Parameters& parameters)
{
    impl_->run(text, parameters);
}

std::vector<Sql::Row> Sql::rows(const std::string& text, const Parameters& parameters)
{
    const auto result = impl_->run(text, parameters);
    std::vector<Row> rows(static_cast<std::size_t>(PQntuples(result.get())));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (int column = 0; column < PQnfields(result.get()); ++column) {
            rows[row].emplace_back(PQgetvalue(result.get(), static_cast<int>(row), column));
        }
    }
    return rows;
}

std::string Sql::one(const std::string& text, const Parameters& parameters)
{
    const std::vector<Row> found = rows(text, parameters);
    if (found.size() != 1 || found.front().empty()) {
        throw std::runtime_error(fmt::format("{} rows instead of one: {}", found.size(), text));
    }
    return found.front().front();
}

void Sql::await(const std::string& text, const std::string& expected)
{
    using namespace std::chrono_literals;
    const auto give_up_at = std::chrono::steady_clock::now() + 20s;
    std::string found = one(text);
    while (found != expected) {
        if (std::chrono::steady_clock::now() > give_up_at) {
            throw std::runtime_error(
                fmt::format("waited for {}, found {}: {}", expected, found, text));
        }
        std::this_thread::sleep_for(5ms);
        found = one(text);
    }
}

} // namespace sagabox::testing
