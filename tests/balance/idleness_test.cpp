// SPDX-License-Identifier: Apache-2.0
// B6: which parts of a rank's idle time count as evidence for the future.
#include "roam/balance/detail/idleness.hpp"

#include <gtest/gtest.h>

namespace roam::balance::idleness_test {
namespace {

/// Alternates work and a pause, idle for `part` of the time.
void go_through(Idleness& idleness, int times, double seconds, double part) {
  for (int i = 0; i < times; ++i) {
    idleness.spend(seconds * (1 - part), 0, false);
    idleness.spend(seconds * part, 1, true);
    idleness.end_pause();
  }
}

TEST(B6Idleness, is_what_pauses_take) {
  Idleness idleness;
  EXPECT_EQ(idleness.part(), 0);
  go_through(idleness, 100, 1e-3, 0.2);
  EXPECT_NEAR(idleness.part(), 0.2, 1e-9);
  EXPECT_NEAR(idleness.seconds(), 0.1, 1e-9);
}

TEST(B6Idleness, some_workers_count_while_others_work) {
  Idleness idleness;
  idleness.spend(0.1, 0.25, false);
  EXPECT_NEAR(idleness.part(), 0.25, 1e-9);
}

TEST(B6Idleness, an_interruption_elsewhere_counts_as_one_of_the_usual_pauses) {
  Idleness idleness;
  go_through(idleness, 100, 1e-3, 0.1);
  idleness.spend(0.005, 1, true);  // added in two parts
  idleness.spend(0.010, 1, true);
  idleness.end_pause();
  go_through(idleness, 100, 1e-3, 0.1);
  EXPECT_NEAR(idleness.part(), 0.1, 0.003);
}

TEST(B6Idleness, a_long_pause_counts_whole_as_long_as_it_lasts) {
  Idleness idleness;
  go_through(idleness, 100, 1e-3, 0.1);
  idleness.spend(0.1, 1, true);
  EXPECT_NEAR(idleness.part(), (0.01 + 0.1) / 0.2, 1e-9);
  idleness.end_pause();  // another rank was interrupted for long
  EXPECT_NEAR(idleness.part(), (0.01 + 4e-4) / (0.1 + 4e-4), 1e-9);
}

TEST(B6Idleness, long_pauses_that_come_again_and_again_count) {
  Idleness idleness;
  go_through(idleness, 10, 0.1, 0.5);
  EXPECT_NEAR(idleness.part(), 0.5, 1e-9);
}

TEST(B6Idleness, a_pause_that_was_longer_than_what_is_remembered_is_taken_back_too) {
  Idleness idleness;
  go_through(idleness, 100, 1e-3, 0.1);
  for (int i = 0; i < 25; ++i) idleness.spend(0.1, 1, true);
  EXPECT_GT(idleness.part(), 0.95);
  idleness.end_pause();
  go_through(idleness, 100, 1e-3, 0.1);
  EXPECT_NEAR(idleness.part(), 0.1, 0.01);
}

TEST(B6Idleness, forgets_what_is_long_ago) {
  Idleness idleness;
  go_through(idleness, 5000, 1e-3, 0.5);
  go_through(idleness, 2000, 1e-3, 0.1);
  EXPECT_NEAR(idleness.part(), 0.1, 0.01);
  EXPECT_LE(idleness.seconds(), 2.001);
  idleness.forget();
  EXPECT_EQ(idleness.seconds(), 0);
}

}  // namespace
}  // namespace roam::balance::idleness_test
