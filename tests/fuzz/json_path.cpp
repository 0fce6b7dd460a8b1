#include "json/path.hpp"

#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <set>

namespace sagabox::fuzz {

namespace {

void gather(const json::Value& value, std::set<const json::Value*>& nodes)
{
    nodes.insert(&value);
    if (const json::Array* array = value.as_array()) {
        for (const json::Value& item : *array) {
            gather(item, nodes);
        }
    } else if (const json::Object* object = value.as_object()) {
        for (const auto& [name, member] : *object) {
            gather(member, nodes);
        }
    }
}

/// The RFC lets a query name each node once more for each `..`, so a long one takes long by right.
bool is_modest(std::string_view query, std::string_view document)
{
    std::size_t descents = 0;
    for (std::size_t at = query.find(".."); at != std::string_view::npos;
         at = query.find("..", at + 2)) {
        ++descents;
    }
    return descents <= 2 && query.size() <= 400 && document.size() <= 2'000;
}

} // namespace

void json_path(std::string_view input)
{
    const auto parts = pieces(input, 2);
    const auto path = json::Path::compile(parts[0]);
    if (!path) {
        require(!path.error().text().empty(), "a fault says what is wrong");
        return;
    }
    require(path->text() == parts[0], "a path keeps its text");
    const auto document = json::parse(parts[1]);
    if (!document || !is_modest(parts[0], parts[1])) {
        return;
    }
    const std::vector<const json::Value*> selected = path->select(*document);
    std::set<const json::Value*> nodes;
    gather(*document, nodes);
    require(std::all_of(selected.begin(), selected.end(),
                        [&](const json::Value* node) { return nodes.contains(node); }),
            "only nodes of the document are selected");
    require(path->first(*document) == (selected.empty() ? nullptr : selected.front()),
            "the first is the first of all");
    require(path->select(*document) == selected, "the same question has the same answer");
}

} // namespace sagabox::fuzz
