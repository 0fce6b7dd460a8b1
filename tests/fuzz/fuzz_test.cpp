// Replays the corpora, and mutations of them by a fixed seed: the same inputs each time. What finds
// more, and knows where it has been, is scripts/fuzz.
#include "tests/fuzz/target.hpp"

#include "tests/sim/dice.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace sagabox::fuzz {
namespace {

using sim::Dice;

constexpr std::size_t longest_input = 2'000;

std::vector<std::string> read_corpus(std::string_view target)
{
    std::vector<std::filesystem::path> files;
    const auto folder =
        std::filesystem::path(SAGABOX_SOURCE_DIR) / "tests" / "fuzz" / "corpus" / target;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> inputs;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return inputs;
}

std::string shown(std::string_view input)
{
    std::string out;
    for (const char c : input) {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7F && c != '\\') {
            out += c;
        } else {
            out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
        }
    }
    return out;
}

std::string some_bytes(Dice& dice)
{
    // What parsers trip over more often than over chance.
    static const std::vector<std::string> usual = {std::string(1, '\0'),
                                                   "\r\n",
                                                   "\n",
                                                   "\"",
                                                   "\\",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "$",
                                                   "..",
                                                   "%00",
                                                   "%",
                                                   "9999999999999999999999",
                                                   "-",
                                                   "1e9",
                                                   "\xC3",
                                                   "\xFF",
                                                   "\xED\xA0\x80",
                                                   "\xE2\x80\xAE",
                                                   "<",
                                                   ">",
                                                   "@",
                                                   ",",
                                                   "\\u0000",
                                                   "\\ud800",
                                                   "=?",
                                                   "?=",
                                                   ":",
                                                   ";",
                                                   " ",
                                                   "\t"};
    if (dice.chance(600)) {
        return dice.pick(usual);
    }
    return std::string(1, static_cast<char>(dice.below(256)));
}

std::string mutated(std::string input, const std::vector<std::string>& corpus, Dice& dice)
{
    for (int change = dice.between(1, 4); change > 0; --change) {
        const std::size_t at = dice.below(input.size() + 1);
        const std::size_t length = std::min(input.size() - at, 1 + dice.below(12));
        switch (dice.below(5)) {
        case 0:
            input.insert(at, some_bytes(dice));
            break;
        case 1:
            input.replace(at, length, some_bytes(dice));
            break;
        case 2:
            input.erase(at, length);
            break;
        case 3: {
            const std::string piece = input.substr(at, length);
            for (std::size_t times = 1 + dice.below(20); times > 0; --times) {
                input.insert(at, piece);
            }
            break;
        }
        default: {
            const std::string& other = dice.pick(corpus);
            input = input.substr(0, at) + other.substr(dice.below(other.size() + 1));
            break;
        }
        }
    }
    input.resize(std::min(input.size(), longest_input));
    return input;
}

class Fuzz : public ::testing::TestWithParam<Target> {};

TEST_P(Fuzz, keeps_its_promises_for_each_input_of_the_corpus)
{
    const std::vector<std::string> corpus = read_corpus(GetParam().name);
    ASSERT_FALSE(corpus.empty());
    for (const std::string& input : corpus) {
        EXPECT_NO_THROW(GetParam().run(input)) << shown(input);
    }
}

TEST_P(Fuzz, keeps_its_promises_for_mutations_of_the_corpus)
{
    const std::vector<std::string> corpus = read_corpus(GetParam().name);
    ASSERT_FALSE(corpus.empty());
    Dice dice(1);
    // The HOCON library takes milliseconds for what the others do in microseconds.
    const int inputs = GetParam().name == "config" ? 200 : 4'000;
    for (int i = 0; i < inputs; ++i) {
        const std::string input = mutated(dice.pick(corpus), corpus, dice);
        ASSERT_NO_THROW(GetParam().run(input)) << "input " << i << ": " << shown(input);
    }
}

INSTANTIATE_TEST_SUITE_P(, Fuzz, ::testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(Promise, notices_a_promise_that_is_broken)
{
    EXPECT_NO_THROW(require(true, "one is one"));
    EXPECT_THROW(require(false, "one is two"), Broken);
}

} // namespace
} // namespace sagabox::fuzz
