// The only file that sees cpp-hocon, and with it leatherman and Boost.
#include "config/reader.hpp"

#include "config/declarations.hpp"
#include "config/scan.hpp"

#include <hocon/config.hpp>
#include <hocon/config_exception.hpp>
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
constexpr std::string_view unresolved_mark = "\x01unresolved ";

std::string mark_of(const std::string& reference)
{
    return fmt::format("{}{}\x02", unresolved_mark, reference);
}

/// The mark less its first character, as it stands in a quoted string.
std::string written_mark(const std::string& reference)
{
    return fmt::format("{}{}\\u0002", unresolved_mark.substr(1), reference);
}

int count_marks(const Node& node, const std::string& mark)
{
    int count = node.text.find(mark) != std::string::npos ? 1 : 0;
    for (const Node& item : node.items) {
        count += count_marks(item, mark);
    }
    for (const auto& [name, member] : node.members) {
        count += count_marks(member, mark);
    }
    return count;
}

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

/// The name under which the parser knows the whole text; what it says of lines is translated.
const std::string whole_name = "configuration";

hocon::shared_config parse(const std::string& text)
{
    return hocon::config::parse_string(
        text, hocon::config_parse_options::defaults().set_origin_description(
                  std::make_shared<std::string>(whole_name)));
}

/// The parser's message without the origin in front of it, and the line where it names one.
struct Complaint {
    std::string text;
    int line = 0;
};

Complaint complaint(std::string what)
{
    Complaint out;
    if (what.starts_with(whole_name + ": ")) {
        what.erase(0, whole_name.size() + 2);
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
        what.erase(advice);
        what += ')';
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
int line_of_error(const std::string& text, const std::string& what)
{
    const auto fails_alike = [&](int lines) {
        try {
            (void)parse(first_lines(text, lines));
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

/// Puts a file and its includes together into one text, and remembers where each line came from.
///
/// The library's own includes look in the current directory rather than beside the including file,
/// and take a missing file for an empty one.
class Assembly {
public:
    struct Line {
        std::string file;
        int line = 0;
    };
    struct Reference {
        std::string path;
        Line at;
    };

    explicit Assembly(Report& report) : report_(report) {}

    /// False where something was amiss, which has been reported.
    bool add(const std::string& text, const std::string& name, std::vector<std::string> stack);

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::vector<Reference>& references() const { return references_; }

    /// Where a line (from 1) of the whole text came from.
    [[nodiscard]] Line origin(int line) const;

private:
    bool include(const Scanned::Include& statement, const std::string& from,
                 const std::vector<std::string>& stack);
    void append(std::string_view piece, const std::string& file, int& line);

    Report& report_;
    std::string text_;
    std::vector<Line> lines_;
    std::vector<Reference> references_;
};

Assembly::Line Assembly::origin(int line) const
{
    if (line < 1 || lines_.empty()) {
        return {};
    }
    return lines_[std::min(static_cast<std::size_t>(line), lines_.size()) - 1];
}

void Assembly::append(std::string_view piece, const std::string& file, int& line)
{
    lines_.push_back({file, line});
    for (const char c : piece) {
        if (c == '\n') {
            lines_.push_back({file, ++line});
        }
    }
    // The next piece begins a line of its own: a new line parts fields as well as a comma does.
    text_.append(piece) += '\n';
}

bool Assembly::add(const std::string& text, const std::string& name, std::vector<std::string> stack)
{
    Scanned scanned = scan(text);
    for (const Scanned::Fault& fault : scanned.faults) {
        report_.add(name, fault.line, {}, fault.text);
    }
    if (!scanned.faults.empty()) {
        return false;
    }
    const std::size_t first = scanned.text.find_first_not_of(" \t\r\n");
    if (stack.size() > 1 && first != std::string::npos && scanned.text[first] == '{') {
        // An included file may wear braces, but its fields belong to the object that includes it.
        scanned.text[first] = ' ';
        scanned.text[scanned.text.rfind('}')] = ' ';
    }
    for (const Scanned::Reference& reference : scanned.references) {
        references_.push_back({reference.path, {name, reference.line}});
    }
    bool good = true;
    std::size_t from = 0;
    int line = 1;
    for (const Scanned::Include& statement : scanned.includes) {
        append(std::string_view(scanned.text).substr(from, statement.at - from), name, line);
        good = include(statement, name, stack) && good;
        from = statement.at;
    }
    append(std::string_view(scanned.text).substr(from), name, line);
    return good;
}

bool Assembly::include(const Scanned::Include& statement, const std::string& from,
                       const std::vector<std::string>& stack)
{
    const auto refuse = [&](const std::string& why) {
        report_.add(from, statement.line, fmt::format("include \"{}\"", statement.what), why);
        return false;
    };
    const fs::path base = fs::path(from).parent_path() / statement.what;
    fs::path found;
    for (const char* extension : {"", ".conf", ".json"}) {
        fs::path candidate = base;
        candidate += extension;
        std::error_code error;
        if (found.empty() && fs::is_regular_file(candidate, error)) {
            found = candidate;
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
    return add(*file.text, found.string(), std::move(deeper));
}

class Reader {
public:
    explicit Reader(Report& report) : report_(report), source_(report) {}

    std::optional<Node> read(const std::string& text, const std::string& name);

private:
    hocon::shared_config parse_whole_text();
    hocon::shared_config resolve(hocon::shared_config config, const std::string& name);
    void report_unresolved(const Node& root, const std::string& name);
    Node convert(const hocon::shared_value& value, const Node* parent) const;
    void place(Node& node, const hocon::config_origin& origin, const Node* parent) const;

    Report& report_;
    Assembly source_;
    std::vector<std::string> unresolved_;
};

hocon::shared_config Reader::parse_whole_text()
{
    const std::string& text = source_.text();
    try {
        return parse(text);
    } catch (const std::exception& error) {
        Complaint found = complaint(error.what());
        if (found.line == 0) {
            found.line = line_of_error(text, error.what());
        }
        const auto [file, line] = source_.origin(found.line);
        report_.add(file, line, {},
                    may_hold_a_secret(text, found.line)
                        ? "not valid HOCON here; compare quotes, braces and commas (the line may "
                          "hold a secret, so it is not shown)"
                        : fmt::format("not valid HOCON: {}", found.text));
        return nullptr;
    }
}

/// What other programs' sections lack is theirs to mind; a reference whose mark got lost on the way
/// may have been ours.
void Reader::report_unresolved(const Node& root, const std::string& name)
{
    for (const std::string& reference : unresolved_) {
        const std::string mark = mark_of(reference);
        int ours = 0;
        for (const Setting& setting : root_section().settings) {
            const Node* section = root.find(setting.name);
            ours += section != nullptr ? count_marks(*section, mark) : 0;
        }
        // One mark stands under the reference's own name, so a foreign use makes at least two.
        if (ours == 0 && count_marks(root, mark) > 1) {
            continue;
        }
        const auto found =
            std::ranges::find(source_.references(), reference, &Assembly::Reference::path);
        const auto [file, line] =
            found == source_.references().end() ? Assembly::Line{name, 0} : found->at;
        report_.add(file, line, {},
                    fmt::format("${{{0}}} stands for nothing: neither the file nor the environment "
                                "has {0}; set it, or write ${{?{0}}} where it may be absent",
                                reference));
    }
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
                report_.add(name, 0, {}, complaint(what).text);
                return nullptr;
            }
            const std::string reference = what.substr(start + 2, end - start - 2);
            unresolved_.push_back(reference);
            const auto mark = hocon::config::parse_string(
                fmt::format("{} = \"\\u0001{}\"", reference, written_mark(reference)));
            config = std::dynamic_pointer_cast<const hocon::config>(config->with_fallback(mark));
        } catch (const std::exception& error) {
            report_.add(name, 0, {}, complaint(error.what()).text);
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
    const auto [file, line] = source_.origin(origin.line_number());
    node.file = file.empty() && parent != nullptr ? parent->file : file;
    node.line = line;
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
    if (!source_.add(text, name, {fs::weakly_canonical(name).string()})) {
        return std::nullopt;
    }
    hocon::shared_config config = parse_whole_text();
    if (config) {
        config = resolve(config, name);
    }
    if (!config) {
        return std::nullopt;
    }
    Node root = convert(config->root(), nullptr);
    report_unresolved(root, name);
    return root;
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
        report.add(name, 0, {}, complaint(error.what()).text);
        return std::nullopt;
    }
}

} // namespace sagabox::config
