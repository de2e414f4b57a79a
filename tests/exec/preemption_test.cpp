// SPDX-License-Identifier: Apache-2.0
// Preemption points: in a simulation, everything else may interrupt the running code there.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "exec_helpers.hpp"
#include "roam/exec/detail/sim_driver.hpp"

namespace roam::exec::preemption_test {
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

/// A simulated rank that answers every preemption point alike.
struct Rank {
  Rank(SimChoices::Preemption answer, std::uint32_t workers)
      : choices(answer), engine({.workers = workers}, clock) {
    driver.set_choices(&choices);
    driver.add(engine);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  ~Rank() { engine.drop_queued(); }

  core::VirtualClock clock;
  SimDriver driver{clock, {}};
  Always choices;
  Engine engine;
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

TEST(Preemption, another_worker_runs_between_two_steps_of_a_handler) {
  Rank rank({8, false}, 2);
  std::vector<std::string> seen;
  rank.engine.push(Job::make([&](Context& context) {
    seen.emplace_back("first begins");
    rank.engine.preemption_point();
    EXPECT_EQ(current(), &context);
    seen.emplace_back("first ends");
    rank.engine.stop();
  }));
  rank.engine.push(Job::make([&](Context&) { seen.emplace_back("second"); }));
  EXPECT_TRUE(rank.driver.run());
  EXPECT_EQ(seen, (std::vector<std::string>{"first begins", "second", "first ends"}));
}

/// Returns when a handler goes on that was interrupted at its beginning, for everything that
/// happens within `longest`, while another worker's handler takes 5 ms.
Instant time_after_interruption(Duration longest) {
  Rank rank({.events = 8, .longest = longest}, 2);
  Instant after{0};
  rank.engine.push(Job::make([&](Context&) {
    rank.engine.preemption_point();
    after = rank.engine.now();
    rank.engine.stop();
  }));
  rank.engine.push(Job::make([&](Context&) { rank.engine.compute(milliseconds(5)); }));
  EXPECT_TRUE(rank.driver.run());
  return after;
}

TEST(Preemption, time_goes_on_meanwhile) {
  EXPECT_EQ(time_after_interruption(milliseconds(6)), milliseconds(5));
}

TEST(Preemption, nobody_is_interrupted_for_long) {
  EXPECT_EQ(time_after_interruption(milliseconds(1)), Instant(0));
}

TEST(Preemption, who_is_ahead_of_time_is_not_interrupted) {
  Rank rank({8, false}, 2);
  rank.engine.push(Job::make([&](Context&) {
    rank.engine.compute(milliseconds(1));
    rank.engine.preemption_point();
    rank.engine.stop();
  }));
  EXPECT_TRUE(rank.driver.run());
  EXPECT_EQ(rank.choices.asked, 0);
}

TEST(Preemption, nobody_else_makes_progress_while_its_holder_is_interrupted) {
  Rank rank({8, true}, 2);
  PollerThatIsPreempted poller(rank.engine);
  rank.engine.add_poller(&poller);
  bool ran_inside = false;
  rank.engine.push(Job::make([&](Context&) {
    ran_inside = poller.inside;
    EXPECT_FALSE(rank.engine.is_progressing());
    EXPECT_EQ(rank.engine.help_progress(), 0U);
    rank.engine.stop();
  }));
  // The second worker has work as well, so that there is a turn that it could take.
  rank.engine.push(Job::make([](Context&) {}));
  EXPECT_TRUE(rank.driver.run());
  EXPECT_TRUE(ran_inside);
  EXPECT_TRUE(poller.was_progressing_after);
}

TEST(Preemption, interruptions_inside_one_another_are_bounded) {
  Rank rank({1, false}, 8);
  int inside = 0;
  int most = 0;
  for (int i = 0; i < 8; ++i) {
    rank.engine.push(Job::make([&](Context&) {
      most = std::max(most, ++inside);
      rank.engine.preemption_point();
      if (--inside == 0) rank.engine.stop();
    }));
  }
  EXPECT_TRUE(rank.driver.run());
  EXPECT_EQ(most, 4);  // three are interrupted, the fourth is not
}

}  // namespace
}  // namespace roam::exec::preemption_test
