// SPDX-License-Identifier: Apache-2.0
// Offloadable tasks as programs see them: one completion each, the same bits wherever they were
// computed, failures that reach whoever waits.
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::offload {

namespace {

using ::testing::HasSubstr;

constexpr Duration task_time = std::chrono::microseconds(100);

int computed_at(int value) {
  here().compute(task_time);
  return 1000 * value + here().rank().value();
}

std::vector<double> scaled(const std::vector<double>& values, double factor) {
  here().compute(task_time);
  std::vector<double> result(values);
  for (double& value : result) value *= factor;
  return result;
}

void fails(int value) {
  here().compute(task_time);
  if (value == 3) throw Error("three is too much");
}

SimulatedJobOptions with_strategy(std::int32_t ranks, const std::string& strategy) {
  SimulatedJobOptions options = testing::simulated(ranks);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  return options;
}

/// Runs `steps` steps with these numbers of tasks per rank and returns the time of the last one.
double last_step_seconds(SimulatedJobOptions options, const std::vector<int>& tasks, int steps) {
  SimulatedJob job(options);
  double last = 0;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < steps; ++step) {
      const Instant begin = rt.now();
      std::vector<Result<int>> results;
      for (int i = 0; i < tasks[rt.rank().index()]; ++i)
        results.push_back(spawn<&computed_at>(rt, i));
      const std::vector<int> values = co_await when_all(std::move(results));
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] / 1000 != static_cast<int>(i)) throw Error("a result of another task");
      }
      co_await rt.barrier();
      next_step(rt);
      if (rt.rank() == 0) last = seconds(rt.now() - begin);
    }
  });
  EXPECT_TRUE(ok) << job.error();
  return last;
}

TEST(OffloadableTasks, stay_where_they_are_spawned_without_a_strategy) {
  EXPECT_NEAR(last_step_seconds(with_strategy(2, "none"), {30, 10}, 3), 30 * 100e-6, 100e-6);
}

TEST(OffloadableTasks, go_to_ranks_that_would_wait) {
  EXPECT_LT(last_step_seconds(with_strategy(2, "auto"), {30, 10}, 5), 20 * 100e-6 * 1.05);
}

/// As vectors of the processor's are, for which the heap's usual alignment is not enough.
struct alignas(64) Wide {
  std::array<double, 8> values{};
};

std::uint64_t distance_from_alignment(const Wide& wide) {
  here().compute(task_time);
  return reinterpret_cast<std::uintptr_t>(&wide) % alignof(Wide);
}

TEST(OffloadableTasks, inputs_have_the_alignment_of_their_type) {
  SimulatedJob job(with_strategy(1, "none"));
  EXPECT_TRUE(job.run([](Runtime& rt) -> Task<> {
    std::vector<Result<std::uint64_t>> results;
    for (int i = 0; i < 20; ++i) results.push_back(spawn<&distance_from_alignment>(rt, Wide()));
    const std::vector<std::uint64_t> distances = co_await when_all(std::move(results));
    EXPECT_THAT(distances, ::testing::Each(0U));
  })) << job.error();
}

TEST(OffloadableTasks, arrays_and_results_arrive_unchanged) {
  SimulatedJob job(with_strategy(2, "ccp"));
  std::uint64_t returned = 0;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<double> values(5000);
    std::iota(values.begin(), values.end(), 0.0);
    for (int step = 0; step < 3; ++step) {
      std::vector<Result<std::vector<double>>> results;
      for (int i = 0; i < (rt.rank() == 0 ? 20 : 0); ++i)
        results.push_back(spawn<&scaled>(rt, values, i));
      const auto all = co_await when_all(std::move(results));
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (all[i][k] != values[k] * static_cast<double>(i)) throw Error("another value");
        }
      }
      co_await rt.barrier();
      next_step(rt);
    }
    if (rt.rank() == 0) returned = Offloader::of(rt).tasks().counts().returned;
  })) << job.error();
  EXPECT_GT(returned, 15U);
}

TEST(OffloadableTasks, go_one_by_one_to_a_rank_that_has_no_room_for_all) {
  SimulatedJobOptions options = with_strategy(2, "auto");
  options.options.edit<OffloadOptions>().guest_memory_bytes = 64 << 10;  // 7 tasks of 8 kB
  SimulatedJob job(options);
  double last = 0;
  HomeCounts counts;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    const std::vector<double> values(1000, 1.5);
    for (int step = 0; step < 6; ++step) {
      const Instant begin = rt.now();
      std::vector<Result<std::vector<double>>> results;
      for (int i = 0; i < (rt.rank() == 0 ? 80 : 0); ++i)
        results.push_back(spawn<&scaled>(rt, values, i));
      (void)co_await when_all(std::move(results));
      co_await rt.barrier();
      next_step(rt);
      if (rt.rank() == 0) last = seconds(rt.now() - begin);
    }
    if (rt.rank() == 0) counts = Offloader::of(rt).tasks().counts();
  })) << job.error();
  EXPECT_LT(last, 45 * 100e-6);
  EXPECT_GT(counts.refused, 0U);
  EXPECT_EQ(counts.emergencies, 0U);
}

TEST(OffloadableTasks, stay_on_their_host_where_others_there_can_take_them) {
  // Hosts of two ranks each, one of them busy: everything can be levelled within hosts.
  SimulatedJobOptions options = with_strategy(8, "auto");
  options.options.simulate->network = {NetworkLevel{.name = "host", .group_ranks = 2},
                                       NetworkLevel{}};
  SimulatedJob job(options);
  std::uint64_t within = 0;
  std::uint64_t across = 0;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 6; ++step) {
      // The busy ones are 0, 3, 4 and 7: in the order of ranks, 3 would give to 5.
      const bool is_busy = rt.rank().value() % 4 == 0 || rt.rank().value() % 4 == 3;
      std::vector<Result<int>> results;
      for (int i = 0; i < (is_busy ? 40 : 10); ++i) results.push_back(spawn<&computed_at>(rt, i));
      for (const int value : co_await when_all(std::move(results))) {
        const int computed_by = value % 1000;
        if (computed_by == rt.rank().value()) continue;
        ++(computed_by / 2 == rt.rank().value() / 2 ? within : across);
      }
      co_await rt.barrier();
      next_step(rt);
    }
  })) << job.error();
  EXPECT_GT(within, 100U);
  EXPECT_EQ(across, 0U);
}

/// The last step of ranks with these speeds, of which the first has 200 tasks; in tasks of a rank
/// of speed 1.
double last_step_in_tasks(const std::vector<double>& speeds) {
  SimulatedJobOptions options = with_strategy(static_cast<std::int32_t>(speeds.size()), "auto");
  options.options.simulate->speeds = speeds;
  std::vector<int> tasks(speeds.size());
  tasks[0] = 200;
  return last_step_seconds(options, tasks, 30) / seconds(task_time);
}

TEST(OffloadableTasks, go_to_slow_and_fast_ranks_in_the_numbers_that_they_can_compute) {
  EXPECT_LT(last_step_in_tasks({1, 1, 1}), 200 / 3.0 * 1.1);
  EXPECT_LT(last_step_in_tasks({1, 1, 0.25}), 200 / 2.25 * 1.1);
  EXPECT_LT(last_step_in_tasks({1, 0.5, 4}), 200 / 5.5 * 1.2);
}

int takes_turns(int number) {
  // Every second task takes nine times as long.
  here().compute(task_time * (number % 2 == 0 ? 1 : 9));
  return here().rank().value();
}

TEST(OffloadableTasks, of_unequal_length_are_dealt_out_so_that_victims_have_as_much_to_do) {
  // Rank 0 has 120 tasks; in turn, one of its two victims would be sent all the long ones.
  SimulatedJob job(with_strategy(3, "ccp"));
  std::vector<std::vector<int>> long_tasks(3, std::vector<int>(6));
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 6; ++step) {
      std::vector<Result<int>> results;
      for (int i = 0; i < (rt.rank() == 0 ? 120 : 0); ++i)
        results.push_back(spawn<&takes_turns>(rt, i));
      const std::vector<int> ranks = co_await when_all(std::move(results));
      for (std::size_t i = 1; i < ranks.size(); i += 2)
        ++long_tasks[static_cast<std::size_t>(ranks[i])][static_cast<std::size_t>(step)];
      co_await rt.barrier();
      next_step(rt);
    }
  })) << job.error();
  for (std::size_t victim = 1; victim < 3; ++victim) {
    EXPECT_GE(long_tasks[victim].back(), 19) << "victim " << victim;
    EXPECT_LE(long_tasks[victim].back(), 21) << "victim " << victim;
  }
}

TEST(OffloadableTasks, that_throw_fail_whoever_awaits_them_wherever_they_ran) {
  SimulatedJob job(with_strategy(2, "ccp"));
  int failures = 0;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 3; ++step) {
      std::vector<Result<void>> results;
      for (int i = 0; i < (rt.rank() == 0 ? 8 : 0); ++i) results.push_back(spawn<&fails>(rt, i));
      for (std::size_t i = 0; i < results.size(); ++i) {
        try {
          co_await results[i];
        } catch (const RemoteError& error) {
          ++failures;
          EXPECT_EQ(i, 3U);
          EXPECT_THAT(error.what(), HasSubstr("three is too much"));
          EXPECT_THAT(error.what(), HasSubstr("fails"));
        }
      }
      co_await rt.barrier();
      next_step(rt);
    }
  })) << job.error();
  EXPECT_EQ(failures, 3);
}

void fails_if_odd(int value) {
  // Later tasks end first where there are several workers.
  here().compute(task_time * (10 - value));
  if (value % 2 == 1) throw Error("number " + std::to_string(value));
}

TEST(OffloadableTasks, awaited_together_give_the_first_failure_once_all_have_come) {
  SimulatedJobOptions options = with_strategy(1, "none");
  options.options.workers = 4;
  SimulatedJob job(options);
  int failures = 0;
  Duration waited{0};
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<Result<void>> results;
    for (int i = 0; i < 6; ++i) results.push_back(spawn<&fails_if_odd>(rt, i));
    const Instant begin = rt.now();
    try {
      co_await when_all(std::move(results));
    } catch (const RemoteError& error) {
      ++failures;
      waited = rt.now() - begin;
      EXPECT_THAT(error.what(), HasSubstr("number 1"));
    }
  })) << job.error();
  EXPECT_EQ(failures, 1);
  EXPECT_GE(waited, 45 * task_time / 4);  // all of the work
}

TEST(OffloadableTasks, a_failure_that_nobody_awaits_stops_the_job) {
  SimulatedJob job(with_strategy(2, "none"));
  EXPECT_FALSE(job.run([&](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      const auto dropped = spawn<&fails>(rt, 3);
    }
    co_await rt.quiescence();
  }));
  EXPECT_THAT(job.error(), HasSubstr("three is too much"));
}

}  // namespace

}  // namespace roam::offload
