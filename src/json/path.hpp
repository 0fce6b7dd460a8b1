#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.hpp"
#include "json/value.hpp"

namespace sagabox::json {

/// A JSONPath query (RFC 9535), with its five functions; `match` and `search` take I-Regexps
/// (RFC 9485). Comparisons of numbers are exact. Immutable; safe to share between threads.
class Path {
public:
    /// The fault's text names the position and what was expected there. A pattern that stands in
    /// the query and is no I-Regexp is a fault too: the RFC would have it match nothing, and a slip
    /// in a configuration would never be seen. One that comes from the document matches nothing.
    [[nodiscard]] static Result<Path> compile(std::string_view query);

    /// Nodes that the query selects, in the RFC's order; pointers into `root`.
    [[nodiscard]] std::vector<const Value*> select(const Value& root) const;

    /// The first selected node, or a null pointer.
    [[nodiscard]] const Value* first(const Value& root) const;

    /// Whether in some document a node that one selects could be one that the other selects, or lie
    /// within it. Errs on the side of yes.
    [[nodiscard]] bool may_meet(const Path& other) const;

    [[nodiscard]] const std::string& text() const { return text_; }

    struct Query; ///< the parsed form, in path_query.hpp

private:
    Path(std::string text, std::shared_ptr<const Query> query);

    std::string text_;
    std::shared_ptr<const Query> query_;
};

} // namespace sagabox::json
