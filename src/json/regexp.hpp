#pragma once

#include <memory>
#include <optional>
#include <string_view>

namespace re2 {
class RE2;
}

namespace sagabox::json {

/// An I-Regexp (RFC 9485). Matching takes time linear in the subject, whatever the pattern, so a
/// pattern that came in a document cannot hold us up. Safe to share between threads.
///
/// As the RFC's own mapping does, and as the compliance suite demands, `^` and `$` outside a class
/// are anchors. Counts beyond 1,000 and patterns that compile to more than 8 MiB are refused.
class Regexp {
public:
    /// Nothing when `pattern` is no I-Regexp.
    [[nodiscard]] static std::optional<Regexp> compile(std::string_view pattern);

    [[nodiscard]] bool matches_all_of(std::string_view subject) const;
    [[nodiscard]] bool matches_within(std::string_view subject) const;

private:
    explicit Regexp(std::shared_ptr<const re2::RE2> automaton);

    std::shared_ptr<const re2::RE2> automaton_;
};

} // namespace sagabox::json
