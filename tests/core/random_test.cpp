// SPDX-License-Identifier: Apache-2.0
#include "roam/core/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <iostream>

namespace roam::core::random_test {
namespace {

TEST(Random, R1_is_the_published_sequence) {
  // The first outputs of Vigna's splitmix64.c for this seed.
  Random random(1234567);
  EXPECT_EQ(random(), 6457827717110365317ULL);
  EXPECT_EQ(random(), 3203168211198807973ULL);
  EXPECT_EQ(random(), 9817491932198370423ULL);
}

TEST(Random, below_stays_below_and_reaches_everything) {
  constexpr std::uint64_t seed = 99;
  std::cout << "seed " << seed << std::endl;
  Random random(seed);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(random.below(0), 0U);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, unit_lies_in_zero_to_one) {
  constexpr std::uint64_t seed = 5;
  std::cout << "seed " << seed << std::endl;
  Random random(seed);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.unit();
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

}  // namespace
}  // namespace roam::core::random_test
