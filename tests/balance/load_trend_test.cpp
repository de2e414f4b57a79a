// SPDX-License-Identifier: Apache-2.0
#include "../../src/balance/policies/load_trend.hpp"

#include <gtest/gtest.h>

namespace roam::balance::load_trend_test {
namespace {

RankLoad load_of(double seconds) {
  RankLoad load;
  load.seconds = load.queued_seconds = seconds;
  load.running = 1;
  load.queued = 1;
  return load;
}

/// A rank with one busy worker, watched every tenth of a second: seconds of work left as the
/// function of time says.
template <class F>
double growth_of(F left, double duration, LoadTrend& trend) {
  for (int i = 0; i <= static_cast<int>(10 * duration); ++i) {
    const double now = 0.1 * i;
    trend.watch(load_of(left(now)), from_seconds(now), 0.2);
  }
  return trend.growth();
}

TEST(LoadTrend, work_that_is_only_done_does_not_grow) {
  LoadTrend trend;
  EXPECT_NEAR(growth_of([](double t) { return 10 - t; }, 8, trend), 0, 1e-9);
}

TEST(LoadTrend, sees_work_that_the_program_adds) {
  LoadTrend trend;
  EXPECT_NEAR(growth_of([](double t) { return 4 - 0.5 * t; }, 6, trend), 0.5, 0.05);
  const RankLoad now = load_of(1);
  EXPECT_NEAR(trend.predicted(now).seconds, 2, 0.2);
  EXPECT_NEAR(trend.predicted(now).queued_seconds, 2, 0.2);
}

TEST(LoadTrend, predicts_at_most_fourfold) {
  LoadTrend trend;
  EXPECT_NEAR(growth_of([](double t) { return 1 + t; }, 60, trend), 2, 0.1);
  EXPECT_DOUBLE_EQ(trend.predicted(load_of(1)).seconds, 4);
}

TEST(LoadTrend, one_burst_is_no_trend) {
  LoadTrend trend;
  EXPECT_NEAR(growth_of([](double t) { return t < 5 ? 2.0 - 0.4 * t : 10 - (t - 5); }, 9, trend), 0,
              1e-9);
}

TEST(LoadTrend, what_was_moved_here_is_no_trend) {
  LoadTrend trend;
  for (int i = 0; i <= 100; ++i) {
    const double now = 0.1 * i;
    if (i > 0 && i % 10 == 0) {
      mobile::Record record;
      record.pending_calls = 1;
      record.pending_seconds = 1;
      record.packed_bytes = 77;
      trend.notify(record, mobile::LoadListener::Change::arrived);
    }
    trend.watch(load_of(4 - now + i / 10), from_seconds(now), 0.2);
  }
  EXPECT_NEAR(trend.growth(), 0, 1e-9);
  EXPECT_EQ(trend.typical_bytes(), 77U);
}

}  // namespace
}  // namespace roam::balance::load_trend_test
