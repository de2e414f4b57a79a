// SPDX-License-Identifier: Apache-2.0
// A3: items that run inside one that is held back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/exec_helpers.hpp"

namespace roam::exec::nested_run_test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using testing::Job;
using testing::ManualClock;

struct Runs final : RunObserver {
  void ran(const Context& context, Instant begin, Instant end) override {
    seen.push_back(std::string(context.label) + " " + std::to_string(begin.count()) + "-" +
                   std::to_string(end.count()));
  }
  std::vector<std::string> seen;
};

TEST(NestedRun, time_counts_once_and_the_context_comes_back) {
  ManualClock clock;
  Engine engine({}, clock);
  Runs runs;
  engine.set_observer(&runs);
  Duration outer_time{0};
  engine.push(Job::make([&](Context& context) {
    context.label = "outer";
    context.subject = ObjectId(Rank(0), 7);
    clock.advance(Duration(10));
    EXPECT_TRUE(engine.help_run(Duration(1000)));
    EXPECT_STREQ(context.label, "outer");
    EXPECT_EQ(context.subject, ObjectId(Rank(0), 7));
    EXPECT_EQ(engine.unfinished(), 1U);
    clock.advance(Duration(5));
    EXPECT_FALSE(engine.help_run(Duration(1000))) << "nothing is ready";
    outer_time = engine.now() - context.run_begin;
  }));
  for (int i = 0; i < 2; ++i) {
    engine.push(Job::make([&](Context& context) {
      context.label = "nested";
      EXPECT_EQ(engine.nesting(), 1U);
      clock.advance(Duration(100));
    }));
  }
  (void)engine.step(0);
  EXPECT_EQ(outer_time, Duration(15));
  EXPECT_EQ(engine.stats(0).busy(), Duration(215));
  EXPECT_EQ(engine.stats(0).handlers_run(), 3U);
  EXPECT_TRUE(engine.is_idle());
  EXPECT_THAT(runs.seen,
              ElementsAre("nested 10-110", "outer 0-10", "nested 110-210", "outer 210-215"));
}

TEST(NestedRun, lasts_about_as_long_as_asked) {
  ManualClock clock;
  Engine engine({}, clock);
  int ran = 0;
  engine.push(Job::make([&](Context&) {
    EXPECT_TRUE(engine.help_run(Duration(25)));
    EXPECT_EQ(ran, 3);
  }));
  for (int i = 0; i < 10; ++i) {
    engine.push(Job::make([&](Context&) {
      clock.advance(Duration(10));
      ++ran;
    }));
  }
  engine.push(Job::make([&](Context&) { EXPECT_EQ(ran, 10); }));
  while (!engine.is_idle()) (void)engine.step(0);
}

TEST(NestedRun, goes_no_deeper_than_it_may) {
  ManualClock clock;
  Engine engine({}, clock);
  std::uint32_t deepest = 0;
  for (int i = 0; i < 20; ++i) {
    engine.push(Job::make([&](Context&) {
      deepest = std::max(deepest, engine.nesting());
      if (!engine.help_run(Duration(0))) deepest = std::max(deepest, engine.nesting());
    }));
  }
  while (!engine.is_idle()) (void)engine.step(0);
  EXPECT_EQ(deepest, Engine::deepest_nesting);
}

TEST(NestedRun, runs_the_rest_of_an_item_of_several_first) {
  ManualClock clock;
  Engine engine({}, clock);
  std::vector<int> order;
  struct Rest final : SeveralRuns {
    bool run_next(Context& context) override {
      if (left == 0) return false;
      EXPECT_EQ(context.several, this);
      order->push_back(left--);
      return true;
    }
    int left = 2;
    std::vector<int>* order = nullptr;
  } rest;
  rest.order = &order;
  engine.push(Job::make([&](Context& context) {
    context.several = &rest;
    EXPECT_TRUE(engine.help_run(Duration(0)));
    EXPECT_TRUE(engine.help_run(Duration(0)));
    EXPECT_TRUE(engine.help_run(Duration(0)));
    EXPECT_EQ(context.several, &rest);
    context.several = nullptr;
  }));
  engine.push(Job::make([&](Context& context) {
    EXPECT_EQ(context.several, nullptr);
    order.push_back(0);
  }));
  (void)engine.step(0);
  EXPECT_THAT(order, ElementsAre(2, 1, 0));
}

TEST(NestedRun, never_outside_the_workers_nor_in_virtual_time) {
  ManualClock clock;
  Engine engine({}, clock);
  bool ran = false;
  engine.push(Job::make([&](Context&) { ran = true; }));
  EXPECT_FALSE(engine.help_run(milliseconds(1)));
  EXPECT_FALSE(ran);
  (void)engine.step(0);
  EXPECT_TRUE(ran);

  core::VirtualClock virtual_clock;
  Engine simulated({}, virtual_clock);
  simulated.push(Job::make([&](Context&) { EXPECT_FALSE(simulated.help_run(milliseconds(1))); }));
  simulated.push(Job::make([](Context&) {}));
  for (int i = 0; i < 4; ++i) (void)simulated.step(0);
  EXPECT_TRUE(simulated.is_idle());
}

}  // namespace
}  // namespace roam::exec::nested_run_test
