#pragma once

#include "config/declarations.hpp"
#include "config/node.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::config {

/// Reads a section by its declaration: what the file does not say, or says wrongly (which the
/// checks have reported by then), is the declared default. Asking for an undeclared name is a bug.
class View {
public:
    /// `node` may be a null pointer: the section is not there.
    View(const Node* node, const Section& section, std::string path);

    [[nodiscard]] const Node* node() const { return node_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string path_of(std::string_view name) const { return join(path_, name); }

    [[nodiscard]] const Node* find(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    [[nodiscard]] View section(std::string_view name) const;

    /// The element of a list or map of sections.
    [[nodiscard]] View element(std::string_view name, const Node& node, std::string path) const;

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::chrono::milliseconds duration(std::string_view name) const;
    [[nodiscard]] std::optional<std::chrono::milliseconds>
    maybe_duration(std::string_view name) const;
    [[nodiscard]] std::int64_t whole(std::string_view name) const;
    [[nodiscard]] std::optional<std::int64_t> maybe_whole(std::string_view name) const;
    [[nodiscard]] std::int64_t bytes(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
    [[nodiscard]] double real(std::string_view name) const;
    [[nodiscard]] std::optional<double> maybe_real(std::string_view name) const;
    [[nodiscard]] bool boolean(std::string_view name) const;

private:
    [[nodiscard]] const Setting& declared(std::string_view name) const;

    const Node* node_;
    const Section* section_;
    std::string path_;
};

} // namespace sagabox::config
