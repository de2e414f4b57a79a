// SPDX-License-Identifier: Apache-2.0
// Emergencies that no late result shows: a victim that is late with its own data because of tasks
// of others, and a way to a victim that is congested.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "offload/late_own_data.hpp"
#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "roam/trace/run_trace.hpp"
#include "support/simulated.hpp"

namespace roam::offload::emergencies_test {

namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* late_own_data = to_string(EmergencyReason::late_own_data);
constexpr const char* congestion = to_string(EmergencyReason::congestion);

using Data = std::vector<std::uint8_t>;
Data computed(const Data& data, int time) {
  here().compute(milliseconds(time));
  return data;
}

int shows_rim(int value) { return value; }

std::uint64_t times_of(const trace::OffloadStep& step, const std::string& reason) {
  for (const auto& one : step.emergencies_by_reason)
    if (one.reason == reason) return one.times;
  return 0;
}

/// Steps as rank 0 recorded them, and the tasks that it has sent away.
struct Steps {
  std::vector<trace::OffloadStep> records;
  HomeCounts home;
};

/// Runs steps: each rank spawns its tasks, then awaits them and what `meanwhile` does.
struct Program {
  std::vector<std::size_t> tasks;  // by rank
  std::size_t bytes = 8;
  int milliseconds = 10;
  int steps = 0;
  std::function<Task<>(Runtime&, int step)> meanwhile = [](Runtime&, int) -> Task<> { co_return; };
};
Steps run(SimulatedJobOptions options, const std::string& strategy, const Program& program) {
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  options.shuffle_ties = true;
  SimulatedJob job(options);
  Steps steps;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < program.steps; ++step) {
      std::vector<Result<Data>> results;
      for (std::size_t i = 0; i < program.tasks[rt.rank().index()]; ++i)
        results.push_back(spawn<&computed>(rt, Data(program.bytes), program.milliseconds));
      co_await program.meanwhile(rt, step);
      (void)co_await when_all(std::move(results));
      co_await rt.barrier();
      next_step(rt);
    }
    co_await rt.quiescence();
    if (rt.rank() != 0) co_return;
    steps.records = Offloader::of(rt).step_records();
    steps.home = Offloader::of(rt).tasks().counts();
  })) << job.error();
  return steps;
}

/// Rank 2 needs data of rank 1 again and again, until the step `until`. Rank 1 gives it between two
/// tasks of rank 0, of which it takes as many as its own load suggests.
Program with_boundary_data(int steps, int until) {
  Program program{.tasks = {60, 0, 0}, .steps = steps};
  program.meanwhile = [until](Runtime& rt, int step) -> Task<> {
    if (rt.rank() != 2 || step >= until) co_return;
    for (int i = 0; i < 40; ++i) (void)co_await rt.request<&shows_rim>(1, i);
    rt.compute(milliseconds(300));
  };
  return program;
}

double mean_seconds(const std::vector<trace::OffloadStep>& steps, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < steps.size(); ++i) sum += steps[i].seconds;
  return sum / static_cast<double>(steps.size() - first);
}

TEST(Emergencies, of_a_victim_that_is_late_with_its_own_data_are_noticed) {
  for (const char* const strategy : {"auto", "diffusion"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(std::string(strategy) + ", seed " + std::to_string(seed));
      const Steps steps = run(testing::simulated(3, seed), strategy, with_boundary_data(30, 30));
      std::uint64_t noticed = 0;
      std::size_t listed = 0;
      for (const trace::OffloadStep& step : steps.records) {
        noticed += times_of(step, late_own_data);
        for (std::size_t i = 0; i < step.blacklisted.size(); ++i) {
          if (step.blacklisted[i] != 1) continue;
          ++listed;
          EXPECT_EQ(step.blacklist_reasons.at(i), late_own_data);
        }
      }
      EXPECT_GE(noticed, 2U);
      EXPECT_GE(listed, 7U);
      // Without offloading 0.6 s; as long if rank 1 has half of what rank 0 gives away.
      EXPECT_LT(mean_seconds(steps.records, 8), 0.56);
    }
  }
}

TEST(Emergencies, of_own_data_pass_and_the_victim_is_back_within_ten_steps) {
  for (const char* const strategy : {"auto", "diffusion"}) {
    SCOPED_TRACE(strategy);
    constexpr std::size_t until = 6;
    const Steps steps = run(testing::simulated(3), strategy, with_boundary_data(40, until));
    std::size_t last_listed = 0;
    for (std::size_t i = 0; i < steps.records.size(); ++i)
      for (const std::string& reason : steps.records[i].blacklist_reasons)
        if (reason == late_own_data) last_listed = i;
    EXPECT_GE(last_listed, 3U) << "it never was on the blacklist";
    EXPECT_LT(last_listed, until + 10);
    EXPECT_LT(steps.records.back().seconds, 0.32) << "of 0.6 s without offloading";
  }
}

TEST(Emergencies, are_none_where_a_rank_keeps_others_waiting_anyway) {
  // Rank 1 answers rank 2 only after work of its own; it computes tasks of rank 0 while it is idle.
  Program program{.tasks = {60, 0, 0}, .steps = 20};
  program.meanwhile = [](Runtime& rt, int) -> Task<> {
    if (rt.rank() == 1) rt.compute(milliseconds(200));
    if (rt.rank() == 2) (void)co_await rt.request<&shows_rim>(1, 1);
  };
  for (const trace::OffloadStep& step : run(testing::simulated(3), "auto", program).records) {
    EXPECT_EQ(times_of(step, late_own_data), 0U) << "step " << step.step;
    EXPECT_THAT(step.blacklisted, IsEmpty());
  }
}

TEST(Emergencies, of_own_data_are_as_long_as_the_tasks_that_caused_them) {
  std::vector<RankStep> ranks = {{.rank = 0, .seconds = 1},
                                 {.rank = 1, .seconds = 1, .idle_seconds = 0.2F}};
  const std::vector<Wait> waits = {{0, 1, 0.5F}};
  LateOwnData late(2);
  EXPECT_THAT(late.add(ranks, {}), IsEmpty());
  ranks[1].guests = 4;
  ranks[1].guest_seconds = 0.05F;
  EXPECT_THAT(late.add(ranks, waits), IsEmpty()) << "they took too little";
  ranks[1].guest_seconds = 0.4F;
  ASSERT_THAT(late.add(ranks, waits), SizeIs(1));
  EXPECT_EQ(late.add(ranks, waits)[0].victim, 1);
  EXPECT_THAT(late.add(ranks, std::vector<Wait>{{0, 1, 0.05F}}), IsEmpty()) << "a short wait";
  ranks[1].idle_seconds = 0.05F;
  EXPECT_THAT(late.add(ranks, waits), IsEmpty()) << "it had too much to do";
  ranks[1].idle_seconds = 0.2F;
  LateOwnData unknown(2);
  EXPECT_THAT(unknown.add(ranks, waits), IsEmpty()) << "it may always be late";
}

SimulatedJobOptions machine(double bytes_per_second, std::uint64_t seed) {
  SimulatedJobOptions options = testing::simulated(2, seed);
  options.options.simulate->network[0].bandwidth_bytes_per_second = bytes_per_second;
  return options;
}

TEST(Emergencies, of_a_congested_way_slow_down_who_sends) {
  const Program program{.tasks = {80, 0}, .bytes = 10'000, .steps = 20};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    // A task takes 0.25 ms or 25 ms to travel.
    const Steps fast = run(machine(40e6, seed), "auto", program);
    const Steps slow = run(machine(400e3, seed), "auto", program);
    std::uint64_t noticed = 0;
    for (const trace::OffloadStep& step : slow.records) {
      noticed += times_of(step, congestion);
      EXPECT_THAT(step.blacklist_reasons, Not(Contains(congestion)));
    }
    EXPECT_GE(noticed, 1U);
    for (const trace::OffloadStep& step : fast.records)
      EXPECT_EQ(times_of(step, congestion), 0U) << "step " << step.step;
    EXPECT_LT(mean_seconds(fast.records, 5), 0.45);
    EXPECT_LT(mean_seconds(slow.records, 5), 0.7) << "of 0.8 s without offloading";
    EXPECT_LT(slow.home.shipped, fast.home.shipped);
  }
}

}  // namespace

}  // namespace roam::offload::emergencies_test
