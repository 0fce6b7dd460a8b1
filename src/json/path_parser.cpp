#include "json/path_query.hpp"
#include "json/path_scanner.hpp"

#include <array>

namespace sagabox::json::query {

namespace {

/// Deepest nesting of brackets and filters; keeps a query from running us out of stack.
constexpr int deepest_nesting = 100;

enum class Type { value, nodes, logical };

struct Signature {
    std::string_view name;
    Function function;
    Type result;
    std::vector<Type> parameters;
};

const Signature* find_function(std::string_view name)
{
    static const std::array<Signature, 5> functions = {{
        {"length", Function::length, Type::value, {Type::value}},
        {"count", Function::count, Type::value, {Type::nodes}},
        {"match", Function::match, Type::logical, {Type::value, Type::value}},
        {"search", Function::search, Type::logical, {Type::value, Type::value}},
        {"value", Function::value, Type::value, {Type::nodes}},
    }};
    for (const Signature& signature : functions) {
        if (signature.name == name) {
            return &signature;
        }
    }
    return nullptr;
}

bool is_regular_expression_test(Function function)
{
    return function == Function::match || function == Function::search;
}

/// Recursive descent over the grammar of RFC 9535, one function to a rule.
class Parser : Scanner {
public:
    using Scanner::Scanner;

    Nodes query()
    {
        check_encoding();
        if (!take('$')) {
            expected("'$'");
        }
        Nodes nodes = segments(Nodes::Origin::root);
        if (!ended()) {
            expected("a segment or the end of the query");
        }
        return nodes;
    }

private:
    /// Counts a level for as long as it lives.
    class Level {
    public:
        explicit Level(Parser& parser) : parser_(parser)
        {
            if (++parser_.depth_ > deepest_nesting) {
                parser_.expected("no deeper nesting");
            }
        }
        ~Level() { --parser_.depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        Parser& parser_;
    };

    Nodes segments(Nodes::Origin origin)
    {
        Nodes nodes;
        nodes.origin = origin;
        for (;;) {
            // Space belongs to the query only where another segment follows it.
            const std::size_t before_space = at_;
            skip_space();
            if (peek() != '.' && peek() != '[') {
                at_ = before_space;
                return nodes;
            }
            nodes.segments.push_back(segment());
            nodes.singular = nodes.singular && is_singular(nodes.segments.back());
        }
    }

    static bool is_singular(const Segment& segment)
    {
        return segment.reach == Segment::Reach::children && segment.selectors.size() == 1 &&
               (std::holds_alternative<Name>(segment.selectors.front()) ||
                std::holds_alternative<Index>(segment.selectors.front()));
    }

    Segment segment()
    {
        Segment segment;
        if (take("..")) {
            segment.reach = Segment::Reach::descendants;
        } else if (!take('.')) {
            segment.selectors = bracketed_selection();
            return segment;
        }
        if (segment.reach == Segment::Reach::descendants && peek() == '[') {
            segment.selectors = bracketed_selection();
        } else if (take('*')) {
            segment.selectors.emplace_back(Wildcard{});
        } else if (starts_name(peek())) {
            segment.selectors.emplace_back(Name{shorthand_name()});
        } else {
            expected("a name or '*'");
        }
        return segment;
    }

    std::vector<Selector> bracketed_selection()
    {
        const Level level(*this);
        demand('[');
        std::vector<Selector> selectors;
        do {
            skip_space();
            selectors.push_back(selector());
            skip_space();
        } while (take(','));
        if (!take(']')) {
            expected("',' or ']'");
        }
        return selectors;
    }

    Selector selector()
    {
        const char c = peek();
        if (c == '"' || c == '\'') {
            return Name{string_literal()};
        }
        if (take('*')) {
            return Wildcard{};
        }
        if (take('?')) {
            skip_space();
            return Filter{condition()};
        }
        if (c == ':' || c == '-' || is_digit(c)) {
            return index_or_slice();
        }
        expected("a name in quotes, an index, a slice, '*' or '?'");
    }

    Selector index_or_slice()
    {
        const std::optional<std::int64_t> start = optional_integer();
        const std::size_t after_start = at_;
        skip_space();
        if (!take(':')) {
            at_ = after_start;
            return Index{*start};
        }
        Slice slice;
        slice.start = start;
        skip_space();
        slice.end = optional_integer();
        if (slice.end) {
            skip_space();
        }
        if (take(':')) {
            const std::size_t after_colon = at_;
            skip_space();
            if (const std::optional<std::int64_t> step = optional_integer()) {
                slice.step = *step;
            } else {
                at_ = after_colon;
            }
        }
        return slice;
    }

    Condition condition()
    {
        const Level level(*this);
        Any any;
        do {
            skip_space();
            any.of.push_back(conjunction());
            skip_space();
        } while (take("||"));
        return any.of.size() == 1 ? std::move(any.of.front()) : Condition{std::move(any)};
    }

    Condition conjunction()
    {
        All all;
        do {
            skip_space();
            all.of.push_back(basic_condition());
            // The space may belong to what follows the whole filter; it is skipped there as well.
            skip_space();
        } while (take("&&"));
        return all.of.size() == 1 ? std::move(all.of.front()) : Condition{std::move(all)};
    }

    Condition basic_condition()
    {
        if (take('!')) {
            skip_space();
            Condition inner = peek() == '(' ? bracketed_condition() : test(at_, operand());
            return {Not{std::make_unique<Condition>(std::move(inner))}};
        }
        if (peek() == '(') {
            return bracketed_condition();
        }
        const std::size_t start = at_;
        Operand left = operand();
        const std::size_t after_left = at_;
        skip_space();
        const std::optional<Comparison::Operator> op = comparison_operator();
        if (!op) {
            at_ = after_left;
            return test(start, std::move(left));
        }
        check_comparable(start, left);
        skip_space();
        const std::size_t right_start = at_;
        Operand right = operand();
        check_comparable(right_start, right);
        return {Comparison{*op, std::move(left), std::move(right)}};
    }

    Condition bracketed_condition()
    {
        demand('(');
        Condition inner = condition();
        demand(')');
        return inner;
    }

    Condition test(std::size_t start, Operand operand)
    {
        if (auto* nodes = std::get_if<Nodes>(&operand)) {
            return {std::move(*nodes)};
        }
        auto* call = std::get_if<std::unique_ptr<Call>>(&operand);
        if (call == nullptr) {
            expected("a comparison operator after the literal");
        }
        if (!is_regular_expression_test((*call)->function)) {
            expected_at(start, "a comparison, since this function gives a value");
        }
        return {std::move(*call)};
    }

    std::optional<Comparison::Operator> comparison_operator()
    {
        using Operator = Comparison::Operator;
        if (take("==")) {
            return Operator::eq;
        }
        if (take("!=")) {
            return Operator::ne;
        }
        if (take("<=")) {
            return Operator::lte;
        }
        if (take(">=")) {
            return Operator::gte;
        }
        if (take('<')) {
            return Operator::lt;
        }
        if (take('>')) {
            return Operator::gt;
        }
        return std::nullopt;
    }

    /// What may be compared is also what may be given to a parameter that takes a value.
    static void check_comparable(std::size_t start, const Operand& operand)
    {
        if (const auto* nodes = std::get_if<Nodes>(&operand);
            nodes != nullptr && !nodes->singular) {
            expected_at(start, "a query that can select one node only");
        }
        if (const auto* call = std::get_if<std::unique_ptr<Call>>(&operand);
            call != nullptr && is_regular_expression_test((*call)->function)) {
            expected_at(start, "a value, which this function does not give");
        }
    }

    Operand operand()
    {
        if (take('$')) {
            return segments(Nodes::Origin::root);
        }
        if (take('@')) {
            return segments(Nodes::Origin::current);
        }
        const char c = peek();
        if (c == '"' || c == '\'') {
            return Value(string_literal());
        }
        if (c == '-' || is_digit(c)) {
            return number_literal();
        }
        if (is_lower(c)) {
            return word();
        }
        expected("'@', '$', a literal or a function");
    }

    Operand word()
    {
        const std::size_t start = at_;
        while (is_lower(peek()) || is_digit(peek()) || peek() == '_') {
            ++at_;
        }
        const std::string_view name = text_.substr(start, at_ - start);
        if (peek() == '(') {
            return call(start, name);
        }
        if (name == "true" || name == "false") {
            return Value(name == "true");
        }
        if (name == "null") {
            return Value(Null{});
        }
        expected_at(start, "'@', '$', a literal or a function");
    }

    std::unique_ptr<Call> call(std::size_t start, std::string_view name)
    {
        const Level level(*this);
        const Signature* signature = find_function(name);
        if (signature == nullptr) {
            expected_at(start, "one of the functions length, count, match, search and value");
        }
        demand('(');
        auto call = std::make_unique<Call>();
        call->function = signature->function;
        for (const Type type : signature->parameters) {
            if (!call->arguments.empty()) {
                demand(',');
            }
            skip_space();
            call->arguments.push_back(argument(type));
            skip_space();
        }
        demand(')');
        if (is_regular_expression_test(call->function)) {
            compile_pattern(start, *call);
        }
        return call;
    }

    Operand argument(Type type)
    {
        const std::size_t start = at_;
        Operand given = operand();
        if (type == Type::value) {
            check_comparable(start, given);
        } else if (!std::holds_alternative<Nodes>(given)) {
            expected_at(start, "a query");
        }
        return given;
    }

    static void compile_pattern(std::size_t start, Call& call)
    {
        const auto* literal = std::get_if<Value>(&call.arguments[1]);
        if (literal == nullptr || literal->as_string() == nullptr) {
            return;
        }
        call.pattern = Regexp::compile(*literal->as_string());
        if (!call.pattern) {
            expected_at(start, "a regular expression as RFC 9485 defines it");
        }
    }

    int depth_ = 0;
};

} // namespace

Nodes parse_query(std::string_view text)
{
    return Parser(text).query();
}

} // namespace sagabox::json::query
