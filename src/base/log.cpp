#include "base/log.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace sagabox::log {

namespace {

std::atomic<Level> threshold{Level::info};

spdlog::level::level_enum to_spdlog(Level level)
{
    switch (level) {
    case Level::debug:
        return spdlog::level::debug;
    case Level::info:
        return spdlog::level::info;
    case Level::warning:
        return spdlog::level::warn;
    case Level::error:
        return spdlog::level::err;
    }
    return spdlog::level::err;
}

spdlog::logger& logger()
{
    static const std::shared_ptr<spdlog::logger> instance = [] {
        auto made = std::make_shared<spdlog::logger>(
            "sagabox", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %v", spdlog::pattern_time_type::utc);
        made->set_level(spdlog::level::debug);
        made->flush_on(spdlog::level::debug);
        return made;
    }();
    return *instance;
}

using Secrets = std::shared_ptr<const std::vector<std::string>>;

struct Hidden {
    std::mutex mutex;
    Secrets secrets = std::make_shared<const std::vector<std::string>>();
};

Hidden& hidden()
{
    static Hidden instance;
    return instance;
}

std::string without_secrets(std::string_view text)
{
    Secrets secrets;
    {
        Hidden& from = hidden();
        const std::scoped_lock lock(from.mutex);
        secrets = from.secrets;
    }
    std::string out(text);
    for (const std::string& secret : *secrets) {
        for (std::size_t at = out.find(secret); at != std::string::npos;
             at = out.find(secret, at)) {
            out.replace(at, secret.size(), "***");
            at += 3;
        }
    }
    return out;
}

std::string without_control_characters(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

} // namespace

void write(Level level, std::string_view part, std::string_view text)
{
    if (enabled(level)) {
        logger().log(to_spdlog(level), "{}: {}", part,
                     without_control_characters(without_secrets(text)));
    }
}

void hide(const std::vector<std::string>& secrets)
{
    Hidden& into = hidden();
    const std::scoped_lock lock(into.mutex);
    std::vector<std::string> all = *into.secrets;
    for (const std::string& secret : secrets) {
        if (!secret.empty() && std::find(all.begin(), all.end(), secret) == all.end()) {
            all.push_back(secret);
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const std::string& a, const std::string& b) {
        return a.size() > b.size();
    });
    into.secrets = std::make_shared<const std::vector<std::string>>(std::move(all));
}

void set_level(Level level)
{
    threshold.store(level, std::memory_order_relaxed);
}

bool enabled(Level level)
{
    return level >= threshold.load(std::memory_order_relaxed);
}

} // namespace sagabox::log
