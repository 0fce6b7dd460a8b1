#pragma once

#include "api/database.hpp"
#include "http/server.hpp"
#include "store/changes.hpp"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace sagabox::api {

/// Tells those who watch what changed: ids, by which they ask for the rest. A hint, so that pages
/// need not be loaded again and again; nothing is repeated to one who was away.
///
/// The database is looked at once a second, for all watchers together, and not at all while nobody
/// watches.
class Feed {
public:
    static constexpr std::size_t most_streams = 32;

    explicit Feed(Database& database);
    ~Feed();
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;

    /// Whether one more may watch.
    [[nodiscard]] bool has_room();

    void add(std::shared_ptr<http::Stream> stream);

private:
    void run();
    void look(std::shared_ptr<store::Changes>& changes);
    void tell(std::string_view bytes);

    Database& database_;
    std::mutex mutex_;
    std::condition_variable woken_;
    std::vector<std::shared_ptr<http::Stream>> streams_;
    bool stopping_ = false;
    bool database_up_ = true; ///< of the thread alone
    std::thread thread_;
};

} // namespace sagabox::api
