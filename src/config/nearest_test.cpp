#include "config/nearest.hpp"

#include <array>

#include <gtest/gtest.h>

namespace sagabox::config {
namespace {

TEST(Nearest, counts_edits_and_swaps_whatever_the_case)
{
    EXPECT_EQ(edit_distance("batchSize", "batchSize"), 0U);
    EXPECT_EQ(edit_distance("batchsize", "batchSize"), 0U);
    EXPECT_EQ(edit_distance("bacthSize", "batchSize"), 1U);
    EXPECT_EQ(edit_distance("batchSiz", "batchSize"), 1U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, names_the_likeliest_and_nothing_when_none_is_near)
{
    constexpr std::array<std::string_view, 3> known = {"batchSize", "poolSize", "maxRetries"};
    EXPECT_EQ(nearest("batchsiz", known), "batchSize");
    EXPECT_EQ(nearest("maxRetrys", known), "maxRetries");
    EXPECT_EQ(nearest("zzzzzz", known), std::nullopt);
    EXPECT_EQ(nearest("c", std::array<std::string_view, 1>{"a"}), std::nullopt);
    EXPECT_EQ(nearest(std::string(10'000, 'a'), known), std::nullopt);
}

} // namespace
} // namespace sagabox::config
