#include "simulate/explore.hpp"

#include "simulate/judge_routes.hpp"
#include "simulate/judge_story.hpp"
#include "simulate/ways.hpp"

#include <algorithm>
#include <utility>

namespace sagabox::simulate {

namespace {

using Script = std::vector<Trouble>;

/// A fixed sequence for a seed (SplitMix64): the same everywhere, as `std` engines' distributions
/// are not.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }

private:
    std::uint64_t next()
    {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }

    std::uint64_t state_;
};

class Explorer {
public:
    Explorer(const core::Plan& plan, std::string_view type, const Samples& samples,
             const Options& options)
        : plan_(plan), type_(type), samples_(samples), options_(options),
          steps_(*plan.steps_of(type)), variables_(variables_of(steps_, samples)),
          ways_(find_ways(plan, type, steps_, samples, variables_))
    {
    }

    Report run()
    {
        judge_routes(steps_, variables_, ways_, found_);
        for (const Way& way : ways_.different) {
            every_single_trouble(way);
        }
        every_pair();
        many_troubles();

        Report report;
        report.event_type = type_;
        for (const core::Destination* step : steps_) {
            report.steps.push_back(step->name);
        }
        report.ways = ways_.different.size();
        report.stories = stories_ + ways_.cases.size();
        report.every_pair = every_pair_;
        report.assumed = assumed();
        report.findings = without_lesser(std::move(found_).take(options_.accepted));
        return report;
    }

private:
    struct Pending {
        const Way* way;
        Script script;
        std::vector<Point> points;
    };

    World world_of(const Way& way) const { return {steps_, samples_, variables_, way.chosen}; }

    Story tell(const Way& way, const World& world, const Script& script)
    {
        ++stories_;
        Story story = play(plan_, world, type_, script);
        judge_story(plan_, story, given_words(variables_, way.chosen), unusual(way.chosen), found_);
        return story;
    }

    void every_single_trouble(const Way& way)
    {
        const World world = world_of(way);
        const Story smooth = tell(way, world, {});
        for (std::size_t at = 0; at < smooth.points.size(); ++at) {
            for (const Trouble trouble : smooth.points[at].choices) {
                if (trouble == Trouble::none) {
                    continue;
                }
                Script script(at, Trouble::none);
                script.push_back(trouble);
                Story story = tell(way, world, script);
                pending_.push_back({&way, std::move(script), std::move(story.points)});
            }
        }
    }

    /// A second trouble after each first one.
    void every_pair()
    {
        std::size_t told = 0;
        for (const Pending& first : pending_) {
            const World world = world_of(*first.way);
            for (std::size_t at = first.script.size(); at < first.points.size(); ++at) {
                for (const Trouble trouble : first.points[at].choices) {
                    if (trouble == Trouble::none) {
                        continue;
                    }
                    if (++told > options_.most_stories) {
                        every_pair_ = false;
                        return;
                    }
                    Script script = first.script;
                    script.resize(at, Trouble::none);
                    script.push_back(trouble);
                    tell(*first.way, world, script);
                }
            }
        }
    }

    void many_troubles()
    {
        constexpr std::size_t length = 24;
        Dice dice(options_.seed);
        for (std::size_t i = 0; i < options_.random_stories; ++i) {
            const Way& way = ways_.different[dice.below(ways_.different.size())];
            Script script;
            for (std::size_t at = 0; at < length; ++at) {
                // Every other point goes well, or few stories would come to their second step.
                script.push_back(dice.below(2) == 0
                                     ? Trouble::none
                                     : static_cast<Trouble>(dice.below(
                                           static_cast<std::size_t>(Trouble::cancelled) + 1)));
            }
            tell(way, world_of(way), script);
        }
    }

    [[nodiscard]] std::vector<std::string> assumed() const
    {
        std::vector<std::string> lines;
        const auto add = [&lines](std::string line) {
            if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
                lines.push_back(std::move(line));
            }
        };
        for (const core::Destination* step : steps_) {
            for (std::size_t route = 0; route < step->routes.size(); ++route) {
                const std::optional<core::Revert>& revert = step->routes[route].revert;
                if (!revert) {
                    continue;
                }
                for (const core::Extraction& value : revert->extract) {
                    const bool answer = value.source == core::Source::response;
                    const json::Value* given =
                        answer ? samples_.answer(step->name, static_cast<int>(route))
                               : samples_.payload(step->name);
                    if (given == nullptr) {
                        add(step->name + (answer ? "'s answer" : "'s request") + " has " +
                            value.path.text());
                    }
                }
            }
        }
        return lines;
    }

    /// What a cancel or a lost answer leaves is what a failure leaves: said once, by the failure.
    static std::vector<Finding> without_lesser(std::vector<Finding> findings)
    {
        const std::vector<Finding> all = findings;
        std::erase_if(findings, [&all](const Finding& lesser) {
            return (lesser.rule == "cancel-leaves" || lesser.rule == "unknown-not-undone") &&
                   std::any_of(all.begin(), all.end(), [&lesser](const Finding& other) {
                       return other.rule == "no-undo" && other.step == lesser.step;
                   });
        });
        return findings;
    }

    const core::Plan& plan_;
    std::string type_;
    const Samples& samples_;
    const Options& options_;
    Steps steps_;
    std::vector<Variable> variables_;
    Ways ways_;
    FindingList found_;
    std::vector<Pending> pending_;
    std::size_t stories_ = 0;
    bool every_pair_ = true;
};

} // namespace

Report explore(const core::Plan& plan, std::string_view event_type, const Samples& samples,
               const Options& options)
{
    return Explorer(plan, event_type, samples, options).run();
}

} // namespace sagabox::simulate
