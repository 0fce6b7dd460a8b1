#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::config {

/// What a first look at HOCON text finds, before the parser gets it.
///
/// cpp-hocon 0.3 names no line in most of its messages, refuses non-ASCII characters between double
/// quotes, and runs out of stack on deep nesting. This look answers for all three: it finds the
/// usual slips with their line, bounds the nesting, and writes the text anew in a form that the
/// parser takes.
struct Scanned {
    struct Fault {
        int line;
        std::string text;
    };
    struct Reference {
        std::string path; ///< `a.b` of `${a.b}` and `${?a.b}`
        int line;
    };

    struct Include {
        std::size_t at; ///< where in `text` the statement stood
        int line;
        std::string what; ///< the name between the quotes
    };

    std::string text; ///< the same document for the parser, line for line, less its includes
    std::vector<Include> includes;
    std::vector<Fault> faults;
    std::vector<Reference> references;
};

[[nodiscard]] Scanned scan(std::string_view text);

} // namespace sagabox::config
