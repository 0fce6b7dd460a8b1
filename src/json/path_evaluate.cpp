#include "json/decimal.hpp"
#include "json/path_query.hpp"
#include "json/unicode.hpp"

#include <algorithm>

namespace sagabox::json {

namespace query {

namespace {

using NodeList = std::vector<const Value*>;

/// The value of an operand: nothing, one that lives in the document or the query, or a new one.
class Item {
public:
    Item() = default;
    Item(const Value* borrowed) : borrowed_(borrowed) {}
    Item(Value own) : own_(std::move(own)) {}

    [[nodiscard]] const Value* get() const { return own_ ? &*own_ : borrowed_; }

private:
    const Value* borrowed_ = nullptr;
    std::optional<Value> own_;
};

/// Equality as the RFC has it: numbers by what they are worth, not by how they are written.
bool equal(const Value& a, const Value& b);

bool equal_arrays(const Array& a, const Array& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

bool equal_objects(const Object& a, const Object& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Object::Member& x, const Object::Member& y) {
                          return x.first == y.first && equal(x.second, y.second);
                      });
}

bool equal(const Value& a, const Value& b)
{
    if (a.as_number() != nullptr && b.as_number() != nullptr) {
        return compare_numbers(a.as_number()->digits, b.as_number()->digits) == 0;
    }
    if (a.as_array() != nullptr && b.as_array() != nullptr) {
        return equal_arrays(*a.as_array(), *b.as_array());
    }
    if (a.as_object() != nullptr && b.as_object() != nullptr) {
        return equal_objects(*a.as_object(), *b.as_object());
    }
    return a == b;
}

bool equal(const Value* a, const Value* b)
{
    return a == nullptr || b == nullptr ? a == b : equal(*a, *b);
}

/// Only numbers and strings have an order. UTF-8 sorts bytewise as its code points do.
bool less(const Value* a, const Value* b)
{
    if (a == nullptr || b == nullptr) {
        return false;
    }
    if (a->as_number() != nullptr && b->as_number() != nullptr) {
        return compare_numbers(a->as_number()->digits, b->as_number()->digits) < 0;
    }
    return a->as_string() != nullptr && b->as_string() != nullptr &&
           *a->as_string() < *b->as_string();
}

bool compare(Comparison::Operator op, const Value* a, const Value* b)
{
    switch (op) {
    case Comparison::Operator::eq:
        return equal(a, b);
    case Comparison::Operator::ne:
        return !equal(a, b);
    case Comparison::Operator::lt:
        return less(a, b);
    case Comparison::Operator::lte:
        return less(a, b) || equal(a, b);
    case Comparison::Operator::gt:
        return less(b, a);
    case Comparison::Operator::gte:
        return less(b, a) || equal(a, b);
    }
    return false;
}

Item length_of(const Value* value)
{
    if (value == nullptr) {
        return {};
    }
    if (const Array* array = value->as_array()) {
        return Value::integer(static_cast<long long>(array->size()));
    }
    if (const Object* object = value->as_object()) {
        return Value::integer(static_cast<long long>(object->size()));
    }
    if (const std::string* text = value->as_string()) {
        return Value::integer(std::count_if(text->begin(), text->end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        }));
    }
    return {};
}

const Value* element_at(const Array& array, std::int64_t index)
{
    const auto size = static_cast<std::int64_t>(array.size());
    const std::int64_t at = index < 0 ? size + index : index;
    return at >= 0 && at < size ? &array[static_cast<std::size_t>(at)] : nullptr;
}

class Evaluation {
public:
    explicit Evaluation(const Value& root) : root_(root) {}

    [[nodiscard]] NodeList select(const Nodes& query, const Value& current) const
    {
        NodeList nodes{&origin(query, current)};
        for (const Segment& segment : query.segments) {
            NodeList selected;
            for (const Value* node : nodes) {
                visit(segment, *node, selected);
            }
            nodes = std::move(selected);
        }
        return nodes;
    }

    /// For a singular query: its one node or a null pointer, without a list in between.
    [[nodiscard]] const Value* walk(const Nodes& query, const Value& current) const
    {
        const Value* node = &origin(query, current);
        for (const Segment& segment : query.segments) {
            const Selector& selector = segment.selectors.front();
            if (const auto* name = std::get_if<Name>(&selector)) {
                node = node->find(name->name);
            } else {
                const Array* array = node->as_array();
                node = array ? element_at(*array, std::get<Index>(selector).index) : nullptr;
            }
            if (node == nullptr) {
                return nullptr;
            }
        }
        return node;
    }

private:
    [[nodiscard]] const Value& origin(const Nodes& query, const Value& current) const
    {
        return query.origin == Nodes::Origin::root ? root_ : current;
    }

    void visit(const Segment& segment, const Value& node, NodeList& out) const
    {
        for (const Selector& selector : segment.selectors) {
            std::visit([&](const auto& s) { apply(s, node, out); }, selector);
        }
        if (segment.reach == Segment::Reach::descendants) {
            each_child(node, [&](const Value& child) { visit(segment, child, out); });
        }
    }

    template <class Action>
    static void each_child(const Value& node, Action action)
    {
        if (const Array* array = node.as_array()) {
            for (const Value& element : *array) {
                action(element);
            }
        } else if (const Object* object = node.as_object()) {
            for (const Object::Member& member : *object) {
                action(member.second);
            }
        }
    }

    void apply(const Name& selector, const Value& node, NodeList& out) const
    {
        if (const Value* found = node.find(selector.name)) {
            out.push_back(found);
        }
    }

    void apply(const Wildcard&, const Value& node, NodeList& out) const
    {
        each_child(node, [&out](const Value& child) { out.push_back(&child); });
    }

    void apply(const Index& selector, const Value& node, NodeList& out) const
    {
        const Array* array = node.as_array();
        if (const Value* found = array ? element_at(*array, selector.index) : nullptr) {
            out.push_back(found);
        }
    }

    void apply(const Slice& selector, const Value& node, NodeList& out) const
    {
        const Array* array = node.as_array();
        if (array == nullptr || selector.step == 0) {
            return;
        }
        const auto size = static_cast<std::int64_t>(array->size());
        const bool forward = selector.step > 0;
        // Forwards the bounds are positions from 0 to size; backwards from -1 to size - 1.
        const std::int64_t lowest = forward ? 0 : -1;
        const std::int64_t highest = forward ? size : size - 1;
        const auto bound = [&](std::optional<std::int64_t> given, std::int64_t otherwise) {
            if (!given) {
                return otherwise;
            }
            return std::clamp(*given < 0 ? size + *given : *given, lowest, highest);
        };
        const std::int64_t start = bound(selector.start, forward ? lowest : highest);
        const std::int64_t end = bound(selector.end, forward ? highest : lowest);
        for (std::int64_t i = start; forward ? i < end : i > end; i += selector.step) {
            out.push_back(&(*array)[static_cast<std::size_t>(i)]);
        }
    }

    void apply(const Filter& selector, const Value& node, NodeList& out) const
    {
        each_child(node, [&](const Value& child) {
            if (holds(selector.condition, child)) {
                out.push_back(&child);
            }
        });
    }

    [[nodiscard]] bool holds(const Condition& condition, const Value& current) const
    {
        return std::visit([&](const auto& form) { return test(form, current); }, condition.data);
    }

    [[nodiscard]] bool test(const Any& any, const Value& current) const
    {
        return std::any_of(any.of.begin(), any.of.end(),
                           [&](const Condition& c) { return holds(c, current); });
    }

    [[nodiscard]] bool test(const All& all, const Value& current) const
    {
        return std::all_of(all.of.begin(), all.of.end(),
                           [&](const Condition& c) { return holds(c, current); });
    }

    [[nodiscard]] bool test(const Not& negation, const Value& current) const
    {
        return !holds(*negation.of, current);
    }

    [[nodiscard]] bool test(const Comparison& comparison, const Value& current) const
    {
        const Item left = item(comparison.left, current);
        const Item right = item(comparison.right, current);
        return compare(comparison.op, left.get(), right.get());
    }

    [[nodiscard]] bool test(const Nodes& query, const Value& current) const
    {
        return query.singular ? walk(query, current) != nullptr : !select(query, current).empty();
    }

    [[nodiscard]] bool test(const std::unique_ptr<Call>& call, const Value& current) const
    {
        const Item subject = item(call->arguments[0], current);
        if (subject.get() == nullptr || subject.get()->as_string() == nullptr) {
            return false;
        }
        if (call->pattern) {
            return matches(*call, *call->pattern, *subject.get()->as_string());
        }
        const Item pattern = item(call->arguments[1], current);
        if (pattern.get() == nullptr || pattern.get()->as_string() == nullptr) {
            return false;
        }
        const std::optional<Regexp> compiled = Regexp::compile(*pattern.get()->as_string());
        return compiled && matches(*call, *compiled, *subject.get()->as_string());
    }

    static bool matches(const Call& call, const Regexp& pattern, std::string_view subject)
    {
        return call.function == Function::match ? pattern.matches_all_of(subject)
                                                : pattern.matches_within(subject);
    }

    [[nodiscard]] Item item(const Operand& operand, const Value& current) const
    {
        if (const auto* literal = std::get_if<Value>(&operand)) {
            return literal;
        }
        if (const auto* query = std::get_if<Nodes>(&operand)) {
            return walk(*query, current);
        }
        return result_of(*std::get<std::unique_ptr<Call>>(operand), current);
    }

    [[nodiscard]] Item result_of(const Call& call, const Value& current) const
    {
        if (call.function == Function::length) {
            return length_of(item(call.arguments[0], current).get());
        }
        const NodeList nodes = select(std::get<Nodes>(call.arguments[0]), current);
        if (call.function == Function::count) {
            return Value::integer(static_cast<long long>(nodes.size()));
        }
        return nodes.size() == 1 ? nodes.front() : nullptr;
    }

    const Value& root_;
};

} // namespace

} // namespace query

Path::Path(std::string text, std::shared_ptr<const Query> query)
    : text_(std::move(text)), query_(std::move(query))
{
}

Result<Path> Path::compile(std::string_view query)
{
    try {
        auto parsed = std::make_shared<const Query>(Query{query::parse_query(query)});
        return Path(std::string(query), std::move(parsed));
    } catch (const query::SyntaxError& error) {
        return fail(Fault::Kind::bad_input, "JSONPath: expected " + error.expected +
                                                " at position " + std::to_string(error.at + 1) +
                                                " of " + std::string(query));
    }
}

std::vector<const Value*> Path::select(const Value& root) const
{
    return query::Evaluation(root).select(query_->nodes, root);
}

const Value* Path::first(const Value& root) const
{
    if (query_->nodes.singular) {
        return query::Evaluation(root).walk(query_->nodes, root);
    }
    const std::vector<const Value*> nodes = select(root);
    return nodes.empty() ? nullptr : nodes.front();
}

} // namespace sagabox::json
