#include "simulate/document.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sagabox::simulate {

namespace {

using Key = std::variant<std::string, std::size_t>;
using Keys = std::vector<Key>;

constexpr std::size_t longest_invented_array = 100;

/// Reads the segments of a query that a document can be made for: names, indexes, and wildcards
/// and descendants, for which the nearest node does. Whether the document then has what the query
/// selects is for its evaluation to say, so a reading that is too simple does no harm.
class KeyReader {
public:
    explicit KeyReader(std::string_view query) : rest_(query) {}

    std::optional<Keys> read()
    {
        if (!take("$")) {
            return std::nullopt;
        }
        Keys keys;
        while (!rest_.empty()) {
            std::optional<Key> key = segment();
            if (!key) {
                return std::nullopt;
            }
            keys.push_back(std::move(*key));
        }
        return keys;
    }

private:
    bool take(std::string_view text)
    {
        if (!rest_.starts_with(text)) {
            return false;
        }
        rest_.remove_prefix(text.size());
        return true;
    }

    std::optional<Key> segment()
    {
        if (take("..") || take(".")) {
            if (take("*")) {
                return Key{std::size_t{0}};
            }
            if (!rest_.starts_with('[')) {
                const std::string_view name = rest_.substr(0, rest_.find_first_of(".[ "));
                rest_.remove_prefix(name.size());
                return name.empty() ? std::nullopt : std::optional(Key{std::string(name)});
            }
        }
        if (!take("[")) {
            return std::nullopt;
        }
        std::optional<Key> key = selector();
        return key && take("]") ? key : std::nullopt;
    }

    std::optional<Key> selector()
    {
        if (take("*")) {
            return Key{std::size_t{0}};
        }
        const char quote = rest_.empty() ? '\0' : rest_.front();
        if (quote == '\'' || quote == '"') {
            const std::size_t end = rest_.find(quote, 1);
            if (end == std::string_view::npos) {
                return std::nullopt;
            }
            const std::string_view name = rest_.substr(1, end - 1);
            rest_.remove_prefix(end + 1);
            return name.find('\\') == std::string_view::npos ? std::optional(Key{std::string(name)})
                                                             : std::nullopt;
        }
        std::size_t index = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), index);
        if (error != std::errc{} || index >= longest_invented_array) {
            return std::nullopt;
        }
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return Key{index};
    }

    std::string_view rest_;
};

json::Value with(const json::Value& document, const Keys& keys, std::size_t depth,
                 const json::Value& value)
{
    if (depth == keys.size()) {
        return value;
    }
    if (const auto* name = std::get_if<std::string>(&keys[depth])) {
        const json::Value* old = document.find(*name);
        json::Object object =
            document.as_object() != nullptr ? *document.as_object() : json::Object{};
        object.set(*name, with(old != nullptr ? *old : json::Value{}, keys, depth + 1, value));
        return object;
    }
    const std::size_t index = std::get<std::size_t>(keys[depth]);
    json::Array array = document.as_array() != nullptr ? *document.as_array() : json::Array{};
    while (array.size() <= index) {
        array.emplace_back();
    }
    array[index] = with(array[index], keys, depth + 1, value);
    return array;
}

/// The document less the member that the keys lead to; an array's member takes all after it along,
/// since what follows would move up into its place.
json::Value without(const json::Value& document, const Keys& keys, std::size_t depth)
{
    const bool last = depth + 1 == keys.size();
    if (const auto* name = std::get_if<std::string>(&keys[depth])) {
        const json::Value* old = document.find(*name);
        if (old == nullptr) {
            return document;
        }
        json::Object object = *document.as_object();
        if (last) {
            object.erase(*name);
        } else {
            object.set(*name, without(*old, keys, depth + 1));
        }
        return object;
    }
    const std::size_t index = std::get<std::size_t>(keys[depth]);
    const json::Array* old = document.as_array();
    if (old == nullptr || old->size() <= index) {
        return document;
    }
    json::Array array = *old;
    if (last) {
        array.resize(index);
    } else {
        array[index] = without(array[index], keys, depth + 1);
    }
    return array;
}

} // namespace

bool place(json::Value& document, const json::Path& path, const json::Value& value)
{
    const std::optional<Keys> keys = KeyReader(path.text()).read();
    if (!keys) {
        return false;
    }
    json::Value made = with(document, *keys, 0, value);
    const json::Value* node = path.first(made);
    if (node == nullptr || !(*node == value)) {
        return false;
    }
    document = std::move(made);
    return true;
}

bool remove(json::Value& document, const json::Path& path)
{
    if (path.first(document) == nullptr) {
        return true;
    }
    const std::optional<Keys> keys = KeyReader(path.text()).read();
    if (!keys || keys->empty()) {
        return false;
    }
    json::Value made = without(document, *keys, 0);
    if (path.first(made) != nullptr) {
        return false;
    }
    document = std::move(made);
    return true;
}

} // namespace sagabox::simulate
