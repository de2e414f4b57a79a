// SPDX-License-Identifier: Apache-2.0
// Preemption points: what runs may be interrupted there, in a simulation, by everything but itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "exec_helpers.hpp"
#include "roam/exec/sim_driver.hpp"

namespace roam::exec {
namespace {

using std::chrono::milliseconds;
using testing::Job;

/// Answers every preemption point alike, and counts them.
class Always final : public SimChoices {
 public:
  explicit Always(Preemption preemption) : answer(preemption) {}
  Preemption preemption(std::uint32_t /*engine*/) override {
    ++asked;
    return answer;
  }
  Preemption answer;
  int asked = 0;
};

class PollerThatIsPreempted final : public Poller {
 public:
  explicit PollerThatIsPreempted(Engine& engine) : engine_(engine) {}
  std::size_t poll(Instant /*now*/) override {
    if (std::exchange(done_, true)) return 0;
    inside = true;
    engine_.preemption_point();
    inside = false;
    was_progressing_after = engine_.is_progressing();
    return 1;
  }
  bool inside = false;
  bool was_progressing_after = false;

 private:
  Engine& engine_;
  bool done_ = false;
};

TEST(Preemption, AnotherWorkerRunsBetweenTwoStepsOfAHandler) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Always choices({8, false});
  driver.set_choices(&choices);
  Engine engine({.workers = 2}, clock);
  driver.add(engine);
  std::vector<std::string> seen;
  engine.push(Job::make([&](Context& context) {
    seen.emplace_back("first begins");
    engine.preemption_point();
    EXPECT_EQ(current(), &context);
    seen.emplace_back("first ends");
    engine.stop();
  }));
  engine.push(Job::make([&](Context&) { seen.emplace_back("second"); }));
  EXPECT_TRUE(driver.run());
  EXPECT_EQ(seen, (std::vector<std::string>{"first begins", "second", "first ends"}));
  engine.drop_queued();
}

TEST(Preemption, TimeGoesOnMeanwhile) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Always choices({8, false});
  driver.set_choices(&choices);
  Engine engine({.workers = 2}, clock);
  driver.add(engine);
  Instant after{0};
  engine.push(Job::make([&](Context&) {
    engine.preemption_point();
    after = engine.now();
    engine.stop();
  }));
  engine.push(Job::make([&](Context&) { engine.compute(milliseconds(5)); }));
  EXPECT_TRUE(driver.run());
  EXPECT_EQ(after, milliseconds(5));
  engine.drop_queued();
}

TEST(Preemption, WhoIsAheadOfTimeIsNotInterrupted) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Always choices({8, false});
  driver.set_choices(&choices);
  Engine engine({.workers = 2}, clock);
  driver.add(engine);
  engine.push(Job::make([&](Context&) {
    engine.compute(milliseconds(1));
    engine.preemption_point();
    engine.stop();
  }));
  EXPECT_TRUE(driver.run());
  EXPECT_EQ(choices.asked, 0);
  engine.drop_queued();
}

TEST(Preemption, NobodyElseMakesProgressWhileItsHolderIsInterrupted) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Always choices({8, true});
  driver.set_choices(&choices);
  Engine engine({.workers = 2}, clock);
  driver.add(engine);
  PollerThatIsPreempted poller(engine);
  engine.add_poller(&poller);
  bool ran_inside = false;
  engine.push(Job::make([&](Context&) {
    ran_inside = poller.inside;
    EXPECT_FALSE(engine.is_progressing());
    EXPECT_EQ(engine.help_progress(), 0U);
    engine.stop();
  }));
  // The second worker has work as well, so that it has a turn to be taken.
  engine.push(Job::make([](Context&) {}));
  EXPECT_TRUE(driver.run());
  EXPECT_TRUE(ran_inside);
  EXPECT_TRUE(poller.was_progressing_after);
  engine.drop_queued();
}

TEST(Preemption, InterruptionsInsideOneAnotherAreBounded) {
  core::VirtualClock clock;
  SimDriver driver(clock, {});
  Always choices({1, false});
  driver.set_choices(&choices);
  Engine engine({.workers = 8}, clock);
  driver.add(engine);
  int inside = 0;
  int most = 0;
  for (int i = 0; i < 8; ++i) {
    engine.push(Job::make([&](Context&) {
      most = std::max(most, ++inside);
      engine.preemption_point();
      if (--inside == 0) engine.stop();
    }));
  }
  EXPECT_TRUE(driver.run());
  EXPECT_EQ(most, 4);  // three are interrupted, the fourth is not
  engine.drop_queued();
}

}  // namespace
}  // namespace roam::exec
