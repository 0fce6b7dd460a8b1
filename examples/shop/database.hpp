#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <pqxx/pqxx>

namespace shop {

/// The database cannot be used now; `what()` is fit for a client's eyes.
class Unavailable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Connections to the shop's database, opened when they are needed and kept for the next caller.
/// Thread-safe.
class Database {
public:
    Database(std::string url, std::string schema);

    /// Runs `body` in a transaction and commits. Runs it again, once, when a kept connection turns
    /// out to be dead before anything was committed. Throws `Unavailable` when the database is
    /// away, or was lost during the commit, so that nobody knows whether it took effect.
    void transact(const std::function<void(pqxx::work&)>& body);

private:
    std::unique_ptr<pqxx::connection> take();
    std::unique_ptr<pqxx::connection> open() const;
    void give_back(std::unique_ptr<pqxx::connection> connection);
    void forget_kept();

    std::string url_;
    std::string schema_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<pqxx::connection>> kept_;
};

} // namespace shop
