#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "json/path.hpp"
#include "json/regexp.hpp"

/// The parsed form of a JSONPath query, shared by its parser and its evaluation.
namespace sagabox::json::query {

struct Condition;
struct Segment;

struct Nodes {
    enum class Origin { root, current };

    Origin origin = Origin::root;
    std::vector<Segment> segments;
    bool singular = true; ///< selects one node at most, by its form
};

struct Call;

/// What stands on a side of a comparison or in a function's brackets.
using Operand = std::variant<Value, Nodes, std::unique_ptr<Call>>;

enum class Function { length, count, match, search, value };

struct Call {
    Function function;
    std::vector<Operand> arguments;
    std::optional<Regexp> pattern; ///< where it is written in the query itself
};

struct Any { ///< true where one of them is
    std::vector<Condition> of;
};
struct All {
    std::vector<Condition> of;
};
struct Not {
    std::unique_ptr<Condition> of;
};
struct Comparison {
    enum class Operator { eq, ne, lt, lte, gt, gte };

    Operator op;
    Operand left;
    Operand right;
};

/// A `Nodes` holds where it selects anything, a `Call` where it answers true.
struct Condition {
    std::variant<Any, All, Not, Comparison, Nodes, std::unique_ptr<Call>> data;
};

struct Name {
    std::string name;
};
struct Wildcard {};
struct Index {
    std::int64_t index;
};
struct Slice {
    std::optional<std::int64_t> start;
    std::optional<std::int64_t> end;
    std::int64_t step = 1;
};
struct Filter {
    Condition condition;
};
using Selector = std::variant<Name, Wildcard, Index, Slice, Filter>;

struct Segment {
    enum class Reach { children, descendants };

    Reach reach = Reach::children;
    std::vector<Selector> selectors;
};

/// Why a query does not compile. Thrown by the parser and caught in `Path::compile`.
struct SyntaxError {
    std::size_t at; ///< byte, from 0
    std::string expected;
};

[[nodiscard]] Nodes parse_query(std::string_view text);

} // namespace sagabox::json::query

namespace sagabox::json {

struct Path::Query {
    query::Nodes nodes;
};

} // namespace sagabox::json
