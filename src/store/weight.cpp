#include "store/weight.hpp"

#include <string>
#include <variant>

namespace sagabox::store {

namespace {

constexpr std::size_t punctuation = 4; ///< quotes, a comma, a colon
constexpr std::size_t columns = 200;   ///< of a row, besides its documents

std::size_t weight(const json::Value& value);

struct Weigh {
    std::size_t operator()(const json::Null&) const { return 1; }
    std::size_t operator()(bool) const { return 1; }
    std::size_t operator()(const json::Number& number) const { return number.digits.size(); }
    std::size_t operator()(const std::string& text) const { return text.size(); }
    std::size_t operator()(const json::Array& array) const
    {
        std::size_t sum = 0;
        for (const json::Value& element : array) {
            sum += weight(element);
        }
        return sum;
    }
    std::size_t operator()(const json::Object& object) const
    {
        std::size_t sum = 0;
        for (const auto& [name, member] : object) {
            sum += name.size() + punctuation + weight(member);
        }
        return sum;
    }
};

std::size_t weight(const json::Value& value)
{
    return punctuation + std::visit(Weigh{}, value.data());
}

} // namespace

std::size_t weight(const Entry& entry)
{
    std::size_t sum = columns;
    for (const core::StepResult& row : entry.rows) {
        sum += columns + row.error.size() + weight(row.request);
        sum += row.response ? weight(*row.response) : 0;
    }
    return sum;
}

} // namespace sagabox::store
