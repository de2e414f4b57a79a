// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/recent_values.hpp"

#include <gtest/gtest.h>

namespace recent_values_test {

namespace {

using roam::core::RecentValues;

TEST(RecentValues, without_any_all_are_zero) {
  const RecentValues<3> values;
  EXPECT_EQ(values.added(), 0U);
  EXPECT_EQ(values.size(), 0U);
  EXPECT_EQ(values.newest(), 0);
  EXPECT_EQ(values.least(), 0);
  EXPECT_EQ(values.median(), 0);
}

TEST(RecentValues, only_the_last_ones_count) {
  RecentValues<3> values;
  for (const double value : {1.0, 9.0, 5.0, 7.0}) values.add(value);
  EXPECT_EQ(values.added(), 4U);
  EXPECT_EQ(values.size(), 3U);
  EXPECT_EQ(values.newest(), 7);
  EXPECT_EQ(values.least(), 5);
  EXPECT_EQ(values.median(), 7);
}

TEST(RecentValues, the_median_of_two_is_the_greater_one) {
  RecentValues<5> values;
  values.add(4);
  values.add(2);
  EXPECT_EQ(values.median(), 4);
  EXPECT_EQ(values.newest(), 2);
}

TEST(RecentValues, cleared_it_begins_anew) {
  RecentValues<2> values;
  for (const double value : {1.0, 2.0, 3.0}) values.add(value);
  values.clear();
  values.add(8);
  EXPECT_EQ(values.size(), 1U);
  EXPECT_EQ(values.median(), 8);
  EXPECT_EQ(values.least(), 8);
}

}  // namespace

}  // namespace recent_values_test
