#include "json/unicode.hpp"
#include "json/value.hpp"

namespace sagabox::json {

namespace {

bool needs_escape(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

void append_escaped(std::string& out, char c)
{
    constexpr std::string_view hex = "0123456789abcdef";
    switch (c) {
    case '"':
    case '\\':
        out += '\\';
        out += c;
        break;
    case '\b':
        out += "\\b";
        break;
    case '\f':
        out += "\\f";
        break;
    case '\n':
        out += "\\n";
        break;
    case '\r':
        out += "\\r";
        break;
    case '\t':
        out += "\\t";
        break;
    default:
        out += "\\u00";
        out += hex[static_cast<unsigned char>(c) >> 4];
        out += hex[static_cast<unsigned char>(c) & 0x0F];
    }
}

void append_quoted(std::string& out, std::string_view s)
{
    out += '"';
    std::size_t plain_from = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (needs_escape(s[i])) {
            out += s.substr(plain_from, i - plain_from);
            append_escaped(out, s[i]);
            plain_from = i + 1;
        }
    }
    out += s.substr(plain_from);
    out += '"';
}

struct Writer {
    std::string& out;

    void operator()(const Null&) { out += "null"; }
    void operator()(bool b) { out += b ? "true" : "false"; }
    void operator()(const Number& n) { out += n.digits; }
    void operator()(const std::string& s) { append_quoted(out, s); }

    void operator()(const Array& array)
    {
        char before = '[';
        for (const Value& element : array) {
            out += before;
            std::visit(*this, element.data());
            before = ',';
        }
        out += array.empty() ? "[]" : "]";
    }

    void operator()(const Object& object)
    {
        char before = '{';
        for (const auto& [name, value] : object) {
            out += before;
            append_quoted(out, name);
            out += ':';
            std::visit(*this, value.data());
            before = ',';
        }
        out += object.empty() ? "{}" : "}";
    }
};

} // namespace

std::string write(const Value& value)
{
    std::string out;
    write_to(out, value);
    return out;
}

void write_to(std::string& out, const Value& value)
{
    std::visit(Writer{out}, value.data());
}

std::string quote(std::string_view s)
{
    std::string out;
    out.reserve(s.size() + 2);
    append_quoted(out, s);
    return out;
}

std::string to_storable_text(std::string_view bytes)
{
    std::string out;
    out.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        const std::optional<CodePoint> c = decode_utf8(bytes, at);
        if (c && c->value != 0) {
            out += bytes.substr(at, c->length);
            at += c->length;
        } else {
            append_utf8(out, replacement_character);
            ++at;
        }
    }
    return out;
}

} // namespace sagabox::json
