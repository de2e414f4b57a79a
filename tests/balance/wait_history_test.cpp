// SPDX-License-Identifier: Apache-2.0
// For how many phases a gain is expected.
#include "balance/wait_history.hpp"

#include <gtest/gtest.h>

namespace roam::balance {
namespace {

TEST(WaitHistory, expects_a_gain_for_as_long_as_it_has_been_there) {
  WaitHistory waits;
  EXPECT_EQ(waits.phases_with(1), 1U);
  for (const double seconds : {3.0, 0.4, 1.0, 2.0, 0.6}) waits.add(seconds);
  EXPECT_EQ(waits.phases_with(1), 3U) << "0.4 was less than half of it";
  EXPECT_EQ(waits.phases_with(0.8), 5U);
  EXPECT_EQ(waits.phases_with(2), 1U) << "the next phase in any case";
  waits.forget();
  EXPECT_EQ(waits.phases_with(0.1), 1U);
  for (int phase = 0; phase < 1000; ++phase) waits.add(1);
  EXPECT_EQ(waits.phases_with(1), WaitHistory::most_phases);
}

}  // namespace
}  // namespace roam::balance
