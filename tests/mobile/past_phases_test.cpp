// SPDX-License-Identifier: Apache-2.0
#include "mobile/past_phases.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace roam::mobile::past_phases_test {
namespace {

TEST(PastPhases, are_remembered_by_number_and_type_in_whatever_order_they_end) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    PastPhases past;
    std::set<PastPhases::Key> ended;
    for (int i = 0; i < 100; ++i) {
      const PastPhases::Key key{random() % 60, 1 + random() % 2};
      if (!ended.insert(key).second) continue;
      past.add(key);
      for (std::uint64_t number = 0; number < 61; ++number) {
        for (std::uint32_t type = 0; type < 4; ++type) {
          ASSERT_EQ(past.contains({number, type}), ended.contains({number, type}))
              << "seed " << seed << ", number " << number << ", type " << type;
        }
      }
    }
  }
}

TEST(PastPhases, forget_the_lowest_of_too_many_that_are_apart) {
  PastPhases past;
  for (std::uint64_t i = 0; i < 2 * PastPhases::most_ranges; ++i) past.add({10 * i, 1});
  EXPECT_FALSE(past.contains({0, 1}));
  EXPECT_TRUE(past.contains({10 * (2 * PastPhases::most_ranges - 1), 1}));
}

}  // namespace
}  // namespace roam::mobile::past_phases_test
