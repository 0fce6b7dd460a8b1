#include "json_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace sagabox::client {
namespace {

/// Walks over JSON text. Each method steps over one thing and says whether it was there.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool document()
    {
        skip_space();
        return value(0) && (skip_space(), rest_.empty());
    }

    bool number()
    {
        take('-');
        if (!take('0') && !digits()) {
            return false;
        }
        if (take('.') && !digits()) {
            return false;
        }
        if (take('e') || take('E')) {
            if (!take('+')) {
                take('-');
            }
            return digits();
        }
        return true;
    }

    [[nodiscard]] bool at_end() const { return rest_.empty(); }

    /// Names of the outermost object, as they are written.
    std::vector<std::string_view> names;

private:
    static constexpr int max_depth = 512;

    bool value(int depth)
    {
        if (depth >= max_depth || rest_.empty()) {
            return false;
        }
        switch (rest_.front()) {
        case '{':
            return object(depth);
        case '[':
            return array(depth);
        case '"':
            return string();
        case 't':
            return word("true");
        case 'f':
            return word("false");
        case 'n':
            return word("null");
        default:
            return number();
        }
    }

    bool object(int depth)
    {
        take('{');
        skip_space();
        if (take('}')) {
            return true;
        }
        do {
            skip_space();
            const std::string_view before = rest_;
            if (!string()) {
                return false;
            }
            if (depth == 0) {
                names.push_back(before.substr(1, before.size() - rest_.size() - 2));
            }
            skip_space();
            if (!take(':')) {
                return false;
            }
            skip_space();
            if (!value(depth + 1)) {
                return false;
            }
            skip_space();
        } while (take(','));
        return take('}');
    }

    bool array(int depth)
    {
        take('[');
        skip_space();
        if (take(']')) {
            return true;
        }
        do {
            skip_space();
            if (!value(depth + 1)) {
                return false;
            }
            skip_space();
        } while (take(','));
        return take(']');
    }

    bool string()
    {
        if (!take('"')) {
            return false;
        }
        while (!rest_.empty()) {
            const char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '"') {
                return true;
            }
            if (static_cast<unsigned char>(c) < 0x20 || (c == '\\' && !escape())) {
                return false;
            }
        }
        return false;
    }

    bool escape()
    {
        if (take('u')) {
            for (int i = 0; i < 4; ++i) {
                if (rest_.empty() ||
                    std::string_view("0123456789abcdefABCDEF").find(rest_.front()) ==
                        std::string_view::npos) {
                    return false;
                }
                rest_.remove_prefix(1);
            }
            return true;
        }
        if (rest_.empty() ||
            std::string_view("\"\\/bfnrt").find(rest_.front()) == std::string_view::npos) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    bool word(std::string_view expected)
    {
        if (!rest_.starts_with(expected)) {
            return false;
        }
        rest_.remove_prefix(expected.size());
        return true;
    }

    bool digits()
    {
        const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        rest_.remove_prefix(count);
        return count > 0;
    }

    bool take(char c)
    {
        if (rest_.empty() || rest_.front() != c) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    void skip_space()
    {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }

    std::string_view rest_;
};

} // namespace

void append_quoted(std::string& out, std::string_view text)
{
    out.push_back('"');
    for (const char c : text) {
        switch (c) {
        case '\0':
            throw std::invalid_argument(
                "JSON text holds U+0000, which jsonb cannot store; remove it");
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
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
            if (static_cast<unsigned char>(c) < 0x20) {
                std::array<char, 8> escaped{};
                std::snprintf(escaped.data(), escaped.size(), "\\u%04x",
                              static_cast<unsigned>(static_cast<unsigned char>(c)));
                out += escaped.data();
            } else {
                out.push_back(c);
            }
        }
    }
    out.push_back('"');
}

bool is_number(std::string_view text)
{
    Reader reader(text);
    return reader.number() && reader.at_end();
}

bool is_document(std::string_view text)
{
    return Reader(text).document();
}

bool may_be_envelope(std::string_view document)
{
    Reader reader(document);
    if (!reader.document() || reader.names.empty()) {
        return false;
    }
    for (const std::string_view name : reader.names) {
        const bool known = name == "payload" || name == "pathParams" || name == "headers" ||
                           name == "query" || name.find('\\') != std::string_view::npos;
        if (!known) {
            return false;
        }
    }
    return true;
}

} // namespace sagabox::client
