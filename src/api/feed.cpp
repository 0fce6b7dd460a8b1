#include "api/feed.hpp"

#include "json/value.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace sagabox::api {

namespace {

constexpr std::chrono::milliseconds between_looks{1'000};
constexpr std::chrono::seconds between_heartbeats{10};

json::Value id_list(const std::set<std::int64_t>& ids)
{
    json::Array list;
    for (const std::int64_t id : ids) {
        list.push_back(json::Value::integer(id));
    }
    return list;
}

std::string change_text(const store::Changed& changed)
{
    json::Object form;
    form.set("events", id_list(changed.events));
    form.set("deadLetters", id_list(changed.letters));
    form.set("emails", id_list(changed.emails));
    return "event: change\ndata: " + json::write(std::move(form)) + "\n\n";
}

/// `changes` goes on in the database's thread where the wait for it is given up, so it is shared.
Task<Result<store::Changed>> look_again(std::shared_ptr<store::Changes> changes,
                                        pg::Connection& connection, Deadline deadline)
{
    co_return co_await changes->look(connection, deadline);
}

} // namespace

Feed::Feed(Database& database) : database_(database), thread_([this] { run(); }) {}

Feed::~Feed()
{
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    woken_.notify_all();
    thread_.join();
}

bool Feed::has_room()
{
    const std::lock_guard lock(mutex_);
    return streams_.size() < most_streams;
}

void Feed::add(std::shared_ptr<http::Stream> stream)
{
    if (!stream->write("retry: 2000\nevent: hello\ndata: {}\n\n")) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        if (streams_.size() < most_streams && !stopping_) {
            streams_.push_back(std::move(stream));
        }
    }
    if (stream) {
        stream->close();
    }
    woken_.notify_all();
}

void Feed::tell(std::string_view bytes)
{
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [bytes](const auto& stream) { return !stream->write(bytes); });
}

void Feed::look(std::shared_ptr<store::Changes>& changes)
{
    const Result<store::Changed> changed =
        database_.ask<store::Changed>([changes](pg::Connection& connection, Deadline deadline) {
            return look_again(changes, connection, deadline);
        });
    if (!changed) {
        changes = std::make_shared<store::Changes>();
    } else if (!changed->events.empty() || !changed->letters.empty() || !changed->emails.empty()) {
        tell(change_text(*changed));
    }
    if (changed.has_value() != database_up_) {
        database_up_ = changed.has_value();
        tell(database_up_ ? "event: database\ndata: {\"reachable\":true}\n\n"
                          : "event: database\ndata: {\"reachable\":false}\n\n");
    }
}

void Feed::run()
{
    auto changes = std::make_shared<store::Changes>();
    auto heartbeat_at = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (streams_.empty()) {
            woken_.wait(lock, [this] { return stopping_ || !streams_.empty(); });
            changes = std::make_shared<store::Changes>();
            continue;
        }
        lock.unlock();
        look(changes);
        // Also how it shows that a watcher has left.
        if (std::chrono::steady_clock::now() >= heartbeat_at) {
            tell(": still here\n\n");
            heartbeat_at = std::chrono::steady_clock::now() + between_heartbeats;
        }
        lock.lock();
        woken_.wait_for(lock, between_looks, [this] { return stopping_; });
    }
    for (const auto& stream : streams_) {
        stream->close();
    }
}

} // namespace sagabox::api
