// SPDX-License-Identifier: Apache-2.0
// B6: a rank that was given nothing asks again when it has been idle for much longer.
#include "balance/idle_evidence.hpp"

#include <gtest/gtest.h>

namespace roam::balance::idle_evidence_test {
namespace {

RankLoad idle_for(double part, double seconds) {
  RankLoad load;
  load.idle_part = part;
  load.observed_seconds = seconds;
  return load;
}

TEST(B6IdleEvidence, half_the_difference_takes_four_times_as_long) {
  EXPECT_DOUBLE_EQ(idle_evidence(0.25, 0.05), enough_evidence);
  EXPECT_DOUBLE_EQ(idle_evidence(0.125, 0.2), enough_evidence);
  EXPECT_EQ(idle_evidence(-0.5, 1), 0);
}

TEST(B6GrowingEvidence, has_grown_once_for_each_doubling) {
  GrowingEvidence evidence;
  EXPECT_FALSE(evidence.has_grown(idle_for(0.25, 0.04)));
  EXPECT_TRUE(evidence.has_grown(idle_for(0.25, 0.05)));
  EXPECT_FALSE(evidence.has_grown(idle_for(0.25, 0.09)));
  EXPECT_TRUE(evidence.has_grown(idle_for(0.25, 0.11)));
  EXPECT_FALSE(evidence.has_grown(idle_for(0.25, 0.19)));
}

TEST(B6GrowingEvidence, starts_anew_when_what_was_seen_is_forgotten) {
  GrowingEvidence evidence;
  EXPECT_TRUE(evidence.has_grown(idle_for(0.5, 2)));
  EXPECT_FALSE(evidence.has_grown(idle_for(0.5, 0.001)));
  EXPECT_TRUE(evidence.has_grown(idle_for(0.5, 0.02)));
}

TEST(B6GrowingEvidence, foretells_when_it_will_have_grown) {
  GrowingEvidence evidence;
  RankLoad load = idle_for(0.1, 0.1);
  ASSERT_FALSE(evidence.has_grown(load));
  const double left = evidence.seconds_left(load);
  const auto after = [&load](double seconds) {
    const double in_all = load.observed_seconds + seconds;
    return idle_for((load.idle_part * load.observed_seconds + seconds) / in_all, in_all);
  };
  EXPECT_FALSE(evidence.has_grown(after(0.99 * left)));
  EXPECT_TRUE(evidence.has_grown(after(1.01 * left)));
  EXPECT_DOUBLE_EQ(GrowingEvidence().seconds_left(idle_for(1, enough_evidence)), 0.001);
}

}  // namespace
}  // namespace roam::balance::idle_evidence_test
