// The only file that sees cpp-hocon, and with it leatherman and Boost.
#include "config/reader.hpp"

#include "config/scan.hpp"

#include <hocon/config.hpp>
#include <hocon/config_exception.hpp>
#include <hocon/config_include_context.hpp>
#include <hocon/config_includer.hpp>
#include <hocon/config_includer_file.hpp>
#include <hocon/config_parse_options.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>

namespace sagabox::config {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_file_size = 16U << 20U;
constexpr std::size_t max_include_depth = 32;

/// Stands where a substitution could not be resolved, so that the rest can still be judged.
constexpr std::string_view unresolved_mark = "\x01unresolved";

/// Text of a file, or why there is none.
struct FileText {
    std::optional<std::string> text;
    std::string why;
};

FileText slurp(const fs::path& path)
{
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        return {std::nullopt, "there is no such file; check the path"};
    }
    if (fs::is_directory(status)) {
        return {std::nullopt, "this is a directory; name the file in it"};
    }
    if (fs::is_regular_file(status) && fs::file_size(path, error) > max_file_size) {
        return {std::nullopt, "the file is larger than 16 MiB; is it a configuration file?"};
    }
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(in.peek() == std::ifstream::traits_type::eof() || text << in.rdbuf())) {
        return {std::nullopt, "the file can't be read; check its permissions"};
    }
    return {std::move(text).str(), {}};
}

hocon::shared_object empty_object()
{
    return hocon::config::parse_string("{}")->root();
}

hocon::shared_config parse(const std::string& text, const std::string& name,
                           hocon::shared_includer includer)
{
    const auto options = hocon::config_parse_options::defaults()
                             .set_origin_description(std::make_shared<std::string>(name))
                             .set_includer(std::move(includer));
    return hocon::config::parse_string(text, options);
}

// The library's interfaces have no virtual destructor; shared_ptr remembers the right one.
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// Includes nothing.
class Silent final : public hocon::config_includer, public hocon::config_includer_file {
public:
    hocon::shared_includer with_fallback(hocon::shared_includer) const override
    {
        return std::make_shared<Silent>();
    }
    hocon::shared_object include(hocon::shared_include_context, std::string) const override
    {
        return empty_object();
    }
    hocon::shared_object include_file(hocon::shared_include_context, std::string) const override
    {
        return empty_object();
    }
};

/// The parser's message without the origin in front of it, and the line where it names one.
struct Complaint {
    std::string text;
    int line = 0;
};

Complaint complaint(std::string what, const std::string& name)
{
    Complaint out;
    if (what.starts_with(name + ": ")) {
        what.erase(0, name.size() + 2);
    }
    constexpr std::string_view prefix = "Line ";
    if (what.starts_with(prefix)) {
        const std::size_t colon = what.find(": ");
        if (colon != std::string::npos) {
            out.line = std::atoi(what.c_str() + prefix.size());
            what.erase(0, colon + 2);
        }
    }
    // The parser ends some messages with advice about .properties files, which are not read here.
    const std::size_t advice = what.find(", or you may be able to rename");
    if (advice != std::string::npos) {
        what.replace(advice, std::string::npos, ")");
    }
    out.text = std::move(what);
    return out;
}

std::string first_lines(const std::string& text, int count)
{
    std::size_t end = 0;
    for (int i = 0; i < count && end != std::string::npos; ++i) {
        end = text.find('\n', end);
        end = end == std::string::npos ? end : end + 1;
    }
    return text.substr(0, end);
}

/// The first line up to which the text gives the very error that the whole of it gives: the parser
/// reads from front to back, so that is where it stumbled.
int line_of_error(const std::string& text, const std::string& name, const std::string& what)
{
    const auto fails_alike = [&](int lines) {
        try {
            (void)parse(first_lines(text, lines), name, std::make_shared<Silent>());
        } catch (const std::exception& error) {
            return what == error.what();
        }
        return false;
    };
    int good = 0;
    int bad = static_cast<int>(std::ranges::count(text, '\n')) + 1;
    while (good + 1 < bad) {
        const int middle = good + (bad - good) / 2;
        (fails_alike(middle) ? bad : good) = middle;
    }
    return bad;
}

bool may_hold_a_secret(const std::string& text, int line)
{
    std::string whole = first_lines(text, line);
    const std::string before = first_lines(text, line - 1);
    std::string at = whole.substr(std::min(before.size(), whole.size()));
    std::ranges::transform(at, at.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::array words = {"secret", "password", "token", "key", "authorization", "://"};
    return std::ranges::any_of(
        words, [&](const char* word) { return at.find(word) != std::string::npos; });
}

class Reader {
public:
    explicit Reader(Report& report) : report_(report) {}

    std::optional<Node> read(const std::string& text, const std::string& name);

    hocon::shared_object include(const std::string& what, const std::string& from,
                                 const std::vector<std::string>& stack);

private:
    hocon::shared_config parse_checked(const std::string& text, const std::string& name,
                                       std::vector<std::string> stack);
    hocon::shared_config resolve(hocon::shared_config config, const std::string& name);
    std::pair<std::string, int> where(const std::string& reference, const std::string& name) const;
    Node convert(const hocon::shared_value& value, const Node* parent) const;
    void place(Node& node, const hocon::config_origin& origin, const Node* parent) const;

    struct Reference {
        std::string path;
        std::string file;
        int line;
    };

    Report& report_;
    std::vector<std::string> files_;
    std::vector<Reference> references_;
};

/// Hands includes to the reader: the library's own includer looks in the current directory rather
/// than beside the including file, and takes a missing file for an empty one.
class Includer final : public hocon::config_includer,
                       public hocon::config_includer_file,
                       public std::enable_shared_from_this<Includer> {
public:
    Includer(Reader& reader, std::string from, std::vector<std::string> stack)
        : reader_(reader), from_(std::move(from)), stack_(std::move(stack))
    {
    }

    hocon::shared_includer with_fallback(hocon::shared_includer) const override
    {
        return shared_from_this();
    }
    hocon::shared_object include(hocon::shared_include_context, std::string what) const override
    {
        return reader_.include(what, from_, stack_);
    }
    hocon::shared_object include_file(hocon::shared_include_context,
                                      std::string what) const override
    {
        return reader_.include(what, from_, stack_);
    }

private:
    Reader& reader_;
    std::string from_;
    std::vector<std::string> stack_;
};

hocon::shared_object Reader::include(const std::string& what, const std::string& from,
                                     const std::vector<std::string>& stack)
{
    const auto refuse = [&](const std::string& why) {
        report_.add(from, 0, fmt::format("include \"{}\"", what), why);
        return empty_object();
    };
    if (what.find("://") != std::string::npos) {
        return refuse("only files can be included; fetch it and include the copy");
    }
    const fs::path base = fs::path(from).parent_path() / what;
    fs::path found;
    for (const char* extension : {"", ".conf", ".json"}) {
        fs::path candidate = base;
        candidate += extension;
        std::error_code error;
        if (fs::is_regular_file(candidate, error)) {
            found = candidate;
            break;
        }
    }
    if (found.empty()) {
        return refuse(fmt::format("there is no file {}; check the path, which is taken from the "
                                  "folder of the including file",
                                  base.string()));
    }
    const std::string canonical = fs::weakly_canonical(found).string();
    if (std::ranges::find(stack, canonical) != stack.end()) {
        return refuse("the file includes itself; remove one of the includes");
    }
    if (stack.size() >= max_include_depth) {
        return refuse(fmt::format("includes are nested more than {} deep", max_include_depth));
    }
    FileText file = slurp(found);
    if (!file.text) {
        return refuse(file.why);
    }
    std::vector<std::string> deeper = stack;
    deeper.push_back(canonical);
    const auto config = parse_checked(*file.text, found.string(), std::move(deeper));
    return config ? config->root() : empty_object();
}

hocon::shared_config Reader::parse_checked(const std::string& text, const std::string& name,
                                           std::vector<std::string> stack)
{
    const Scanned scanned = scan(text);
    if (!scanned.faults.empty()) {
        for (const Scanned::Fault& fault : scanned.faults) {
            report_.add(name, fault.line, {}, fault.text);
        }
        return nullptr;
    }
    files_.push_back(name);
    for (const Scanned::Reference& reference : scanned.references) {
        references_.push_back({reference.path, name, reference.line});
    }
    try {
        return parse(scanned.text, name, std::make_shared<Includer>(*this, name, std::move(stack)));
    } catch (const std::exception& error) {
        Complaint found = complaint(error.what(), name);
        if (found.line == 0) {
            found.line = line_of_error(scanned.text, name, error.what());
        }
        report_.add(name, found.line, {},
                    may_hold_a_secret(scanned.text, found.line)
                        ? "not valid HOCON here; compare quotes, braces and commas (the line may "
                          "hold a secret, so it is not shown)"
                        : "not valid HOCON: " + found.text);
        return nullptr;
    }
}

std::pair<std::string, int> Reader::where(const std::string& reference,
                                          const std::string& name) const
{
    const auto found = std::ranges::find(references_, reference, &Reference::path);
    return found == references_.end() ? std::pair{name, 0} : std::pair{found->file, found->line};
}

hocon::shared_config Reader::resolve(hocon::shared_config config, const std::string& name)
{
    // The library stops at the first substitution without a value, so each that it names gets a
    // mark for a value until none is left.
    constexpr int patience = 1'000;
    for (int i = 0; i < patience; ++i) {
        try {
            return config->resolve();
        } catch (const hocon::unresolved_substitution_exception& error) {
            const std::string what = error.what();
            const std::size_t start = what.rfind("${");
            const std::size_t end = what.find('}', start);
            if (start == std::string::npos || end == std::string::npos) {
                report_.add(name, 0, {}, complaint(what, name).text);
                return nullptr;
            }
            const std::string reference = what.substr(start + 2, end - start - 2);
            const auto [file, line] = where(reference, name);
            report_.add(file, line, {},
                        fmt::format("${{{0}}} stands for nothing: neither the file nor the "
                                    "environment has {0}; set it, or write ${{?{0}}} where it may "
                                    "be absent",
                                    reference));
            const auto mark = hocon::config::parse_string(
                reference + " = \"\\u0001" + std::string(unresolved_mark.substr(1)) + "\"");
            config = std::dynamic_pointer_cast<const hocon::config>(config->with_fallback(mark));
        } catch (const std::exception& error) {
            report_.add(name, 0, {}, complaint(error.what(), name).text);
            return nullptr;
        }
        if (!config) {
            return nullptr;
        }
    }
    return nullptr;
}

void Reader::place(Node& node, const hocon::config_origin& origin, const Node* parent) const
{
    const std::string& description = origin.description();
    constexpr std::string_view variable = "env var ";
    for (std::size_t at = description.find(variable); at != std::string::npos;
         at = description.find(variable, at + 1)) {
        const std::size_t start = at + variable.size();
        node.variables.push_back(description.substr(start, description.find(',', start) - start));
    }
    // A value made of several parts is described as "merge of a,b": its first file will do.
    std::size_t earliest = std::string::npos;
    for (const std::string& file : files_) {
        const std::size_t at = description.find(file);
        if (at < earliest ||
            (at == earliest && at != std::string::npos && file.size() > node.file.size())) {
            earliest = at;
            node.file = file;
        }
    }
    node.line = std::max(origin.line_number(), 0);
    if (node.file.empty() && parent != nullptr) {
        node.file = parent->file;
    }
}

Node Reader::convert(const hocon::shared_value& value, const Node* parent) const
{
    using Type = hocon::config_value::type;
    Node node;
    place(node, *value->origin(), parent);
    switch (value->value_type()) {
    case Type::OBJECT: {
        const auto object = std::dynamic_pointer_cast<const hocon::config_object>(value);
        node.kind = Node::Kind::object;
        for (const std::string& key : object->key_set()) {
            node.members.emplace(key, convert(object->get(key), &node));
        }
        break;
    }
    case Type::LIST: {
        const auto list = std::dynamic_pointer_cast<const hocon::config_list>(value);
        node.kind = Node::Kind::list;
        for (std::size_t i = 0; i < list->size(); ++i) {
            node.items.push_back(convert(list->get(i), &node));
        }
        break;
    }
    case Type::NUMBER:
    case Type::BOOLEAN:
    case Type::STRING:
        node.kind = value->value_type() == Type::NUMBER    ? Node::Kind::number
                    : value->value_type() == Type::BOOLEAN ? Node::Kind::boolean
                                                           : Node::Kind::text;
        node.text = value->transform_to_string();
        node.unresolved = node.text.find(unresolved_mark) != std::string::npos;
        break;
    case Type::CONFIG_NULL:
    case Type::UNSPECIFIED:
        break;
    }
    return node;
}

std::optional<Node> Reader::read(const std::string& text, const std::string& name)
{
    hocon::shared_config config = parse_checked(text, name, {fs::weakly_canonical(name).string()});
    if (config) {
        config = resolve(config, name);
    }
    if (!config) {
        return std::nullopt;
    }
    return convert(config->root(), nullptr);
}

} // namespace

Environment process_environment()
{
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

std::optional<Node> read_file(const std::string& path, Report& report)
{
    const FileText file = slurp(path);
    if (!file.text) {
        report.add(path, 0, {}, file.why);
        return std::nullopt;
    }
    return read_text(*file.text, path, report);
}

std::optional<Node> read_text(const std::string& text, const std::string& name, Report& report)
{
    try {
        return Reader(report).read(text, name);
    } catch (const std::exception& error) {
        report.add(name, 0, {}, complaint(error.what(), name).text);
        return std::nullopt;
    }
}

} // namespace sagabox::config
