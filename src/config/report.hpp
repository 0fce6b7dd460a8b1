#pragma once

#include "config/node.hpp"
#include "config/settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sagabox::config {

/// Gathers every problem of a load, so that one run of `check` names them all.
class Report {
public:
    /// `at` gives file and line; a null pointer where there is no such value.
    void add(const Node* at, std::string_view path, std::string text);
    void add(std::string_view file, int line, std::string_view path, std::string text);

    [[nodiscard]] bool empty() const { return entries_.empty(); }

    /// The problems by file and line, each once, with every secret blotted out.
    [[nodiscard]] std::vector<Problem> problems(const std::vector<std::string>& secrets) const;

private:
    struct Entry {
        std::string file;
        int line;
        std::string path;
        std::string text;
        friend auto operator<=>(const Entry&, const Entry&) = default;
    };
    std::vector<Entry> entries_;
};

} // namespace sagabox::config
