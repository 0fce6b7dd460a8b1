#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sagabox::testing {

/// One page in Prometheus' text format 0.0.4, read by a parser that lets nothing pass.
///
/// Besides the grammar it demands what good pages have: a HELP and a TYPE for each family, before
/// its samples and once; all samples of a family together; no series twice; valid UTF-8; counters
/// that end in `_total` and are not negative; histograms that are cumulative and whole.
class Exposition {
public:
    /// Throws `std::runtime_error` that says what is wrong, and in which line.
    explicit Exposition(std::string_view page);

    using Labels = std::map<std::string, std::string>;
    struct Sample {
        std::string name;
        Labels labels;
        double value = 0;
    };
    struct Family {
        std::string type;
        std::string help;
        std::vector<Sample> samples;
    };

    [[nodiscard]] const std::map<std::string, Family>& families() const { return families_; }

    /// The value of a series with exactly these labels; throws where there is none.
    [[nodiscard]] double value(const std::string& name, const Labels& labels = {}) const;

    [[nodiscard]] bool has(const std::string& family) const { return families_.contains(family); }

private:
    std::map<std::string, Family> families_;
};

} // namespace sagabox::testing
