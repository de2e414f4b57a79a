// SPDX-License-Identifier: Apache-2.0
#include "testing/minimise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace roam::testing::minimise_test {
namespace {

std::vector<DecisionId> first(std::size_t count) {
  std::vector<DecisionId> all(count);
  std::iota(all.begin(), all.end(), DecisionId{1});
  return all;
}

/// Fails if all of `needed` are there.
StillFails needs(std::vector<DecisionId> needed) {
  return [needed = std::move(needed)](const std::vector<DecisionId>& some, bool& fails) {
    fails = std::ranges::includes(some, needed);
    return some;
  };
}

TEST(Minimise, leaves_what_is_needed) {
  EXPECT_EQ(minimise(first(100), needs({17}), 1000), (std::vector<DecisionId>{17}));
  EXPECT_EQ(minimise(first(100), needs({3, 50, 99}), 1000), (std::vector<DecisionId>{3, 50, 99}));
  EXPECT_EQ(minimise(first(7), needs(first(7)), 1000), first(7));
}

TEST(Minimise, finds_that_nothing_is_needed) {
  int runs = 0;
  const auto always = [&](const std::vector<DecisionId>& some, bool& fails) {
    ++runs;
    fails = true;
    return some;
  };
  EXPECT_TRUE(minimise(first(100), always, 1000).empty());
  EXPECT_EQ(runs, 1);
}

TEST(Minimise, leaves_out_what_was_allowed_but_did_not_come_about) {
  // With decision 5 alone, the places of all others are not even reached.
  const auto fails_with_5 = [](const std::vector<DecisionId>& some, bool& fails) {
    fails = std::ranges::find(some, DecisionId{5}) != some.end();
    return std::vector<DecisionId>{5};
  };
  EXPECT_EQ(minimise(first(100), fails_with_5, 1000), (std::vector<DecisionId>{5}));
}

TEST(Minimise, stops_after_so_many_runs) {
  std::uint32_t runs = 0;
  const StillFails inner = needs({3, 50, 99});
  const auto counted = [&](const std::vector<DecisionId>& some, bool& fails) {
    ++runs;
    return inner(some, fails);
  };
  const std::vector<DecisionId> left = minimise(first(100), counted, 5);
  EXPECT_LE(runs, 5U);
  EXPECT_TRUE(std::ranges::includes(left, std::vector<DecisionId>{3, 50, 99}));
}

}  // namespace
}  // namespace roam::testing::minimise_test
