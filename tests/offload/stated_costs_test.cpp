// SPDX-License-Identifier: Apache-2.0
// Tasks whose costs the program states, in a unit of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/offload/detail/stated_costs.hpp"
#include "roam/offload/offload.hpp"
#include "roam/offload/strategy.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::offload::stated_costs_test {

namespace {

using std::chrono::microseconds;

// Short and long tasks in random order.
constexpr int short_task = 500;
constexpr int long_task = 4500;

int doubled(int value, int time) {
  here().compute(microseconds(time));
  return 2 * value;
}

/// What tasks say of their costs.
enum class Says : std::uint8_t { nothing, cost, cost_in_another_unit, cost_with_continuation };

struct Steps {
  std::vector<double> late;  // by step: how much longer it was than it had to be, 0.1: by a tenth
  HomeCounts home;           // of rank 0, at the end
};

/// Ranks have tasks of two lengths, in another random order in each step; rank 0 has most.
std::vector<int> tasks_of(int rank, int step) {
  core::Random random(static_cast<std::uint64_t>(1000 * step + rank));
  std::vector<int> tasks(rank == 0 ? 48 : 16);
  const std::size_t long_tasks = tasks.size() / 4;
  std::fill(tasks.begin(), tasks.end(), short_task);
  std::fill_n(tasks.begin(), long_tasks, long_task);
  for (std::size_t i = tasks.size() - 1; i > 0; --i)
    std::swap(tasks[i], tasks[random.below(i + 1)]);
  return tasks;
}

Steps run(const std::string& strategy, Says says, int steps, int ranks = 4) {
  SimulatedJobOptions options = testing::simulated(ranks);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  SimulatedJob job(options);
  Steps result;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < steps; ++step) {
      const Instant begin = rt.now();
      std::vector<Result<int>> results;
      const std::vector<int> times = tasks_of(rt.rank().value(), step);
      for (std::size_t i = 0; i < times.size(); ++i) {
        const int value = static_cast<int>(i);
        const auto keep = [](int twice) { return twice; };
        if (says == Says::nothing) {
          results.push_back(spawn<&doubled>(rt, value, times[i]));
        } else if (says == Says::cost) {
          // [cost]
          results.push_back(
              roam::offload::spawn<&doubled>(rt, roam::offload::Cost(times[i]), value, times[i]));
          // [cost]
        } else if (says == Says::cost_in_another_unit) {
          results.push_back(spawn<&doubled>(rt, Cost(1024.0 * times[i]), value, times[i]));
        } else {
          results.push_back(spawn_then<&doubled>(rt, Cost(times[i]), keep, value, times[i]));
        }
      }
      const std::vector<int> values = co_await when_all(std::move(results));
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 2 * static_cast<int>(i)) throw Error("a result of another task");
      co_await rt.barrier();
      if (rt.rank() == 0) {
        double all = 0;
        for (int rank = 0; rank < rt.size(); ++rank)
          for (const int time : tasks_of(rank, step)) all += 1e-6 * time;
        result.late.push_back(seconds(rt.now() - begin) / (all / rt.size()) - 1);
      }
      next_step(rt);
    }
    co_await rt.quiescence();
    if (rt.rank() == 0) result.home = Offloader::of(rt).tasks().counts();
  })) << job.error();
  return result;
}

double mean_from(const std::vector<double>& values, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < values.size(); ++i) sum += values[i];
  return sum / static_cast<double>(values.size() - first);
}

TEST(StatedCosts, make_steps_even_where_tasks_change_places) {
  // By the task at the same place of the last step, nothing is known of these.
  EXPECT_LT(mean_from(run("auto", Says::cost, 60).late, 10), 0.02);
  EXPECT_GT(mean_from(run("auto", Says::nothing, 60).late, 10), 0.1);
}

TEST(StatedCosts, serve_strategies_that_know_waits_alone) {
  const double unsaid = mean_from(run("diffusion", Says::nothing, 40).late, 10);
  EXPECT_LT(mean_from(run("diffusion", Says::cost, 40).late, 10), 0.4 * unsaid);
}

TEST(StatedCosts, are_those_of_tasks_with_continuations_too) {
  const Steps continued = run("auto", Says::cost_with_continuation, 30);
  EXPECT_LT(mean_from(continued.late, 10), 0.02);
  EXPECT_GT(continued.home.returned_stated, 0U);
  EXPECT_EQ(continued.home.returned_stated, continued.home.returned);
}

TEST(StatedCosts, are_in_any_unit) {
  const std::vector<double> usual = run("auto", Says::cost, 20).late;
  EXPECT_EQ(usual, run("auto", Says::cost_in_another_unit, 20).late);
}

TEST(StatedCosts, are_finite_and_above_zero) {
  EXPECT_THROW(Cost{0}, Error);
  EXPECT_THROW(Cost{-1}, Error);
  EXPECT_THROW(Cost{std::numeric_limits<double>::infinity()}, Error);
  EXPECT_THROW(Cost{std::numeric_limits<double>::quiet_NaN()}, Error);
  EXPECT_EQ(Cost(3).value(), 3);
}

TEST(StatedCosts, become_seconds_by_what_tasks_of_a_kind_have_taken) {
  const int first = 0;
  const int second = 0;
  StatedCosts costs;
  EXPECT_FALSE(costs.are_used());
  for (const double cost : {1.0, 1.0, 4.0}) costs.note_spawned({cost, &first});
  costs.note_spawned({10, &second});
  EXPECT_EQ(costs.seconds_of({1, &first}), 0);  // nothing has been measured
  costs.note_measured({1, &first}, 0.5);
  costs.note_measured({4, &first}, 2);
  costs.note_measured({10, &second}, 1);
  EXPECT_DOUBLE_EQ(costs.seconds_of({2, &first}), 1);
  EXPECT_DOUBLE_EQ(costs.seconds_of({2, &second}), 0.2);
  EXPECT_EQ(costs.seconds_of({}), 0);
  EXPECT_EQ(costs.mean_seconds(), 0);
  costs.end_step(6, 3);  // two of the six tasks have said nothing
  EXPECT_DOUBLE_EQ(costs.mean_seconds(), (0.5 + 0.5 + 2 + 1 + 2 * 3) / 6);
  costs.end_step(0, 3);
  EXPECT_GT(costs.mean_seconds(), 0);  // of the last step that has spawned some
  costs.end_step(5, 3);
  EXPECT_EQ(costs.mean_seconds(), 0);  // none had a cost
}

}  // namespace

}  // namespace roam::offload::stated_costs_test
