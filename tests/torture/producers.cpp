#include "tests/torture/producers.hpp"

#include "testing/postgres.hpp"
#include "tests/torture/dice.hpp"
#include "tests/torture/shop.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace sagabox::torture {

using testing::Sql;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t orders_of_a_thread = 10'000'000;
constexpr std::size_t orders_remembered = 40; ///< that are still changed or cancelled

std::string payloads_of(std::string_view event_type, const shop::Fate& fate, const std::string& key)
{
    if (event_type.front() == '!') {
        return "{}";
    }
    std::string text = "{";
    for (const std::string& destination : shop::fanout(event_type)) {
        text += fmt::format(R"({}"{}":{{"key":"{}","type":"{}","amount":100.10}})",
                            text.size() > 1 ? "," : "", destination, key, fate.shipping);
    }
    return text + "}";
}

} // namespace

/// One transaction after the other, on one connection.
struct Producers::Till {
    Sql& sql;
    Dice& dice;
    std::uint64_t seed;
    int number;
    int& keys;
    std::set<std::string> written;

    void emit(const std::string& aggregate, const std::string& type)
    {
        const std::string key = fmt::format("{}-{}-{}", type, number, ++keys);
        const std::string payloads = payloads_of(type, shop::fate_of(seed, aggregate), key);
        written.insert(key);
        sql.exec("insert into intents (key, aggregate, event_type) values ($1, $2, $3)",
                 {key, aggregate, type});
        if (dice.chance(50)) {
            sql.exec("select outbox_emit($1, $2, $3, $4)", {aggregate, type, payloads, key});
        } else {
            sql.exec("insert into outbox_events (aggregate_id, event_type, payloads, "
                     "idempotency_key) values ($1, $2, $3, $4)",
                     {aggregate, type, payloads, key});
        }
    }

    void order(std::int64_t id)
    {
        const std::string aggregate = shop::aggregate_of(id);
        sql.exec("insert into orders (id, aggregate) values ($1, $2)",
                 {std::to_string(id), aggregate});
        emit(aggregate, "OrderCreated");
        if (dice.chance(10)) {
            emit(aggregate, "OrderAmended");
        }
    }

    void change(const std::string& aggregate)
    {
        const int lot = dice.between(0, 99);
        if (lot < 50) {
            for (int more = dice.between(1, 4); more > 0; --more) {
                emit(aggregate, "OrderStatusUpdated");
            }
        } else if (lot < 70) {
            emit(aggregate, "OrderAmended");
        } else if (lot < 80) {
            emit(aggregate, "!OrderAmended");
        } else {
            emit(aggregate, "!OrderCreated");
        }
    }
};

Producers::Producers(std::string database_url, std::uint64_t seed, int threads)
    : url_(std::move(database_url)), seed_(seed)
{
    for (int number = 1; number <= threads; ++number) {
        threads_.emplace_back([this, number] { work(number); });
    }
}

Producers::~Producers()
{
    stop();
}

void Producers::stop()
{
    stopping_ = true;
    for (std::thread& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

Producers::Book Producers::book() const
{
    const std::scoped_lock lock(mutex_);
    return book_;
}

void Producers::work(int number)
{
    Dice dice(seed_of(seed_, fmt::format("producer {}", number)));
    std::unique_ptr<Sql> sql;
    std::vector<std::string> known;
    std::int64_t last_order = number * orders_of_a_thread;
    int keys = 0;
    while (!stopping_) {
        std::set<std::string> written;
        std::optional<std::string> made;
        bool committing = false;
        try {
            if (!sql) {
                sql = std::make_unique<Sql>(url_);
            }
            Till till{*sql, dice, seed_, number, keys, {}};
            sql->exec("begin");
            try {
                if (known.empty() || dice.chance(50)) {
                    made = shop::aggregate_of(++last_order);
                    till.order(last_order);
                } else if (dice.chance(20)) {
                    till.emit(known.back(), "!OrderCreated"); // most likely still at work
                } else {
                    till.change(dice.pick(known));
                }
            } catch (const std::runtime_error&) {
                written = till.written;
                throw;
            }
            written = till.written;
            if (dice.chance(5)) {
                // Ids are drawn before the commit: a late one becomes visible behind later ones.
                std::this_thread::sleep_for(std::chrono::milliseconds(dice.between(200, 900)));
            }
            if (dice.chance(15)) {
                sql->exec("rollback");
                const std::scoped_lock lock(mutex_);
                book_.rolled_back.merge(written);
            } else {
                committing = true;
                sql->exec("commit");
                const auto now = std::chrono::steady_clock::now();
                const std::scoped_lock lock(mutex_);
                for (const std::string& key : written) {
                    book_.committed.emplace(key, now);
                }
                if (made) {
                    known.push_back(*made);
                    if (known.size() > orders_remembered) {
                        known.erase(known.begin());
                    }
                }
            }
        } catch (const std::runtime_error&) {
            sql.reset();
            const std::scoped_lock lock(mutex_);
            (committing ? book_.unsure : book_.rolled_back).merge(written);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(dice.between(20, 80)));
    }
}

} // namespace sagabox::torture
