#include "base/log.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace sagabox::log {

namespace {

/// What is in force. Whatever was once stays in memory, since a thread may be reading it.
class InForce {
public:
    InForce() { put({}); }

    [[nodiscard]] const Options& get() const { return *latest_.load(std::memory_order_acquire); }

    void put(Options options)
    {
        const std::scoped_lock lock(mutex_);
        all_.push_back(std::make_unique<const Options>(std::move(options)));
        latest_.store(all_.back().get(), std::memory_order_release);
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<const Options>> all_;
    std::atomic<const Options*> latest_{nullptr};
};

InForce& in_force()
{
    static InForce instance;
    return instance;
}

std::atomic<bool> everything{false};

std::string_view label(Level level)
{
    switch (level) {
    case Level::debug:
        return "debug";
    case Level::info:
        return "info";
    case Level::warning:
        return "warning";
    case Level::error:
        break;
    }
    return "error";
}

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
        made->set_pattern("%v");
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

std::string now()
{
    const auto time =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const auto second = std::chrono::floor<std::chrono::seconds>(time);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", second, (time - second).count());
}

std::string in_text(Level level, std::string_view part, std::string_view text)
{
    return fmt::format("{} {:<7} {}: {}", now(), label(level), part,
                       without_control_characters(without_secrets(text)));
}

std::string in_json(Level level, std::string_view part, std::string_view text, Fields fields)
{
    nlohmann::ordered_json line;
    line["time"] = now();
    line["level"] = label(level);
    line["part"] = part;
    line["message"] = without_secrets(text);
    for (const auto& [name, value] : fields) {
        if (const auto* number = std::get_if<std::int64_t>(&value)) {
            line[std::string(name)] = *number;
        } else {
            line[std::string(name)] = without_secrets(std::get<std::string_view>(value));
        }
    }
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace

void write(Level level, std::string_view part, std::string_view text, Fields fields)
{
    if (enabled(level, part)) {
        const bool json = in_force().get().format == Format::json;
        logger().log(to_spdlog(level), "{}",
                     json ? in_json(level, part, text, fields) : in_text(level, part, text));
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

void configure(Options options)
{
    in_force().put(std::move(options));
}

void write_everything()
{
    everything.store(true, std::memory_order_relaxed);
}

bool enabled(Level level, std::string_view part)
{
    if (everything.load(std::memory_order_relaxed)) {
        return true;
    }
    const Options& options = in_force().get();
    const auto own = options.parts.find(part);
    return level >= (own == options.parts.end() ? options.level : own->second);
}

} // namespace sagabox::log
