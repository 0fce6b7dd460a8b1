#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/fault.hpp"

namespace sagabox::json {

class Value;

struct Null {
    friend bool operator==(const Null&, const Null&) = default;
};

/// A number as the digits that were written, in the form in which PostgreSQL's jsonb prints it:
/// no exponent, no plus sign, no negative zero, trailing zeros of the fraction kept.
/// So `100.10` stays `100.10`, `1e3` is `1000`, and no number ever passes through a binary float.
struct Number {
    std::string digits;

    friend bool operator==(const Number&, const Number&) = default;
};

using Array = std::vector<Value>;

/// Names in the order in which jsonb keeps them (shorter first, then bytewise), each once.
///
/// The order makes a document that came from the wire equal, byte for byte once written, to the
/// same document read back from the database, so a request built from it is the same at each
/// attempt.
class Object {
public:
    using Member = std::pair<std::string, Value>;

    Object() = default;

    /// As if each member were `set` in turn, at the cost of one sort.
    [[nodiscard]] static Object from_members(std::vector<Member> members);

    /// Replaces the value where the name exists already: the last of two duplicates wins.
    void set(std::string name, Value value);
    [[nodiscard]] const Value* find(std::string_view name) const;
    bool erase(std::string_view name);

    using Iterator = std::vector<Member>::const_iterator;

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool empty() const;
    [[nodiscard]] Iterator begin() const;
    [[nodiscard]] Iterator end() const;

    friend bool operator==(const Object&, const Object&);

private:
    std::vector<Member> members_;
};

/// A JSON value. Value semantics; equality is structural (numbers by their digits).
class Value {
public:
    using Data = std::variant<Null, bool, Number, std::string, Array, Object>;

    Value() : data_(Null{}) {}
    Value(Null) : data_(Null{}) {}
    /// A bool and nothing that merely converts to one: a pointer or an int here would be a slip.
    template <std::same_as<bool> Bool>
    Value(Bool b) : data_(b)
    {
    }
    Value(Number n) : data_(std::move(n)) {}
    Value(std::string s) : data_(std::move(s)) {}
    Value(std::string_view s) : data_(std::string(s)) {}
    Value(const char* s) : data_(std::string(s)) {}
    Value(Array a) : data_(std::move(a)) {}
    Value(Object o) : data_(std::move(o)) {}
    static Value integer(long long n) { return Number{std::to_string(n)}; }

    [[nodiscard]] bool is_null() const { return std::holds_alternative<Null>(data_); }
    [[nodiscard]] const bool* as_bool() const { return std::get_if<bool>(&data_); }
    [[nodiscard]] const Number* as_number() const { return std::get_if<Number>(&data_); }
    [[nodiscard]] const std::string* as_string() const { return std::get_if<std::string>(&data_); }
    [[nodiscard]] const Array* as_array() const { return std::get_if<Array>(&data_); }
    [[nodiscard]] const Object* as_object() const { return std::get_if<Object>(&data_); }
    [[nodiscard]] Object* as_object() { return std::get_if<Object>(&data_); }
    [[nodiscard]] const Data& data() const { return data_; }

    /// Member of an object by name; null pointer for anything else.
    [[nodiscard]] const Value* find(std::string_view name) const;

    friend bool operator==(const Value&, const Value&);

private:
    Data data_;
};

// Below `Value`, which a member holds: only here is it complete.
inline std::size_t Object::size() const
{
    return members_.size();
}
inline bool Object::empty() const
{
    return members_.empty();
}
inline Object::Iterator Object::begin() const
{
    return members_.begin();
}
inline Object::Iterator Object::end() const
{
    return members_.end();
}

/// Deepest nesting that `parse` accepts; beyond it PostgreSQL's own parser may run out of stack.
inline constexpr std::size_t max_depth = 512;

/// Most bytes that the numbers of a document may grow by when their exponents are written out. A
/// few bytes (`1e131071`) become 128 KiB in jsonb's form, so a body of 1 MiB could otherwise take
/// 15 GiB.
inline constexpr std::size_t max_number_growth = std::size_t{16} << 20;

/// Reads one JSON document (RFC 8259). Fails on anything that jsonb would refuse as well: invalid
/// UTF-8, lone surrogates, numbers outside numeric's range (131,072 digits before the point, 16,383
/// after it), nesting beyond `max_depth`. Also on growth beyond
/// `max_number_growth`. U+0000 in a string, which jsonb cannot hold, becomes
/// U+FFFD, so that one such character does not cost us the document.
[[nodiscard]] Result<Value> parse(std::string_view text);

/// Writes compact JSON, UTF-8, with control characters, quotes and backslashes escaped.
[[nodiscard]] std::string write(const Value& value);
void write_to(std::string& out, const Value& value);

/// `s` as a JSON string literal, quotes included.
[[nodiscard]] std::string quote(std::string_view s);

/// `bytes` as valid UTF-8 without U+0000: each byte that belongs to no character, and each U+0000,
/// becomes U+FFFD.
[[nodiscard]] std::string to_storable_text(std::string_view bytes);

} // namespace sagabox::json
