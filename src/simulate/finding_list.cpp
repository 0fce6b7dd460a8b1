#include "simulate/finding_list.hpp"

#include <algorithm>

namespace sagabox::simulate {

void FindingList::add(Finding finding, int part, Length length)
{
    const auto key = std::tuple(finding.rule, finding.step, part);
    const auto known = found_.find(key);
    if (known == found_.end()) {
        found_.emplace(key, Kept{std::move(finding), length});
        return;
    }
    const auto rank = [](const Finding& f, const Length& l) {
        return std::tuple(f.weight, l);
    };
    if (rank(finding, length) < rank(known->second.finding, known->second.length)) {
        known->second = Kept{std::move(finding), length};
    }
}

std::vector<Finding> FindingList::take(const std::vector<std::string>& accepted) &&
{
    std::vector<Kept> all;
    for (auto& [key, kept] : found_) {
        Finding& finding = kept.finding;
        const auto named = [&finding](const std::string& wanted) {
            return wanted == finding.rule ||
                   wanted == std::string(finding.rule) + ":" + finding.step;
        };
        if (std::any_of(accepted.begin(), accepted.end(), named)) {
            finding.weight = Weight::accepted;
        }
        all.push_back(std::move(kept));
    }
    std::stable_sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) {
        return std::tuple(a.finding.weight, a.length) < std::tuple(b.finding.weight, b.length);
    });
    std::vector<Finding> findings;
    for (Kept& kept : all) {
        findings.push_back(std::move(kept.finding));
    }
    return findings;
}

} // namespace sagabox::simulate
