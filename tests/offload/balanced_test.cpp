// SPDX-License-Identifier: Apache-2.0
// Migration of objects and offloading of tasks in one program: both go by the time that workers are
// busy, and do not undo what the other has done.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "roam/offload/group.hpp"
#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::offload {

namespace {

using std::chrono::microseconds;

constexpr int step_count = 20;
constexpr int steps_of_phase = 4;
constexpr int patch_count = 64;
constexpr double even_seconds = patch_count * 300e-6 / 4;  // of a step, if all ranks have as much

std::uint64_t predicted(std::uint64_t value) {
  here().compute(microseconds(100));
  return value + 1;
}

/// Part of a mesh: works itself, and has a task that may be offloaded.
struct Patch {
  std::uint64_t value = 0;
  Task<> step() {
    here().compute(microseconds(200));
    value = co_await spawn<&predicted>(here(), value);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

/// Part of a mesh that does next to nothing itself, and has as many tasks as it has rows.
struct Rows {
  std::vector<std::uint64_t> values;
  Rows() = default;
  explicit Rows(std::size_t rows) : values(rows) {}
  Task<> step() {
    here().compute(microseconds(10));
    std::vector<Result<std::uint64_t>> results;
    for (const std::uint64_t value : values) results.push_back(spawn<&predicted>(here(), value));
    values = co_await when_all(std::move(results));
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

struct BalancedRun {
  std::vector<std::uint64_t> offloaded;  // by step, all ranks
  std::vector<double> seconds;           // of each step
};

/// `make`: creates part `i` of patch_count, all on rank 0 of four.
template <class Part, class Make>
BalancedRun run_parts(const std::string& balancer, const std::string& strategy, const Make& make) {
  SimulatedJobOptions options = testing::simulated(4);
  options.options.balancer = parse_plugin_choice(balancer);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  SimulatedJob job(options);
  BalancedRun result{std::vector<std::uint64_t>(step_count), {}};
  std::vector<mobile_ptr<Part>> mesh;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      for (int i = 0; i < patch_count; ++i) mesh.push_back(make(rt, i));
    }
    for (int step = 0; step < step_count; ++step) {
      const Instant begin = rt.now();
      const std::uint64_t before = Offloader::of(rt).tasks().counts().shipped;
      if (rt.rank() == 0) {
        std::vector<am::Reply<void>> done;
        for (const mobile_ptr<Part>& part : mesh) done.push_back(part.template call<&Part::step>());
        co_await roam::when_all(std::move(done));
      }
      co_await rt.barrier();
      next_step(rt);
      if (rt.rank() == 0) result.seconds.push_back(seconds(rt.now() - begin));
      result.offloaded[static_cast<std::size_t>(step)] +=
          Offloader::of(rt).tasks().counts().shipped - before;
      if (step % steps_of_phase == steps_of_phase - 1) co_await rt.phase();
    }
  })) << job.error();
  return result;
}

BalancedRun run(const std::string& balancer, const std::string& strategy) {
  return run_parts<Patch>(balancer, strategy, [](Runtime& rt, int) { return rt.create<Patch>(); });
}

TEST(Balanced, by_migration_a_program_offloads_nothing) {
  // Tasks go to others while objects are still on their way, but do not hide that they should move:
  // a rank that computes for others is not as busy as it looks.
  const BalancedRun both = run("refine", "auto");
  EXPECT_GT(*std::ranges::max_element(both.offloaded), 0U);
  EXPECT_EQ(both.offloaded.back(), 0U);
  EXPECT_LT(both.seconds.back(), 1.02 * even_seconds);
}

TEST(Balanced, by_nothing_else_a_program_offloads) {
  const BalancedRun alone = run("none", "auto");
  EXPECT_GT(alone.offloaded.back(), 40U);
  // Rank 0 keeps what is no task.
  EXPECT_LT(alone.seconds.back(), 1.02 * patch_count * 200e-6);
}

TEST(Balanced, by_both_a_program_is_no_slower_than_by_migration) {
  const BalancedRun both = run("refine", "auto");
  const BalancedRun migration = run("refine", "none");
  EXPECT_LE(both.seconds.back(), migration.seconds.back());
  const auto all_of = [](const BalancedRun& run) {
    return std::accumulate(run.seconds.begin(), run.seconds.end(), 0.0);
  };
  EXPECT_LT(all_of(both), 1.01 * all_of(migration));
}

TEST(Balanced, B6_by_the_tasks_that_objects_await) {
  const auto rows_of = [](int part) { return static_cast<std::size_t>(1 + part % 8); };
  double work = 0;
  for (int part = 0; part < patch_count; ++part)
    work += 10e-6 + 100e-6 * static_cast<double>(rows_of(part));
  for (const char* const strategy : {"none", "auto"}) {
    const BalancedRun balanced = run_parts<Rows>(
        "refine", strategy, [&](Runtime& rt, int part) { return rt.create<Rows>(rows_of(part)); });
    // Tasks that did not count would stay where they were, and all objects would move to and fro.
    for (std::size_t step = step_count / 2; step < step_count; ++step)
      EXPECT_LT(balanced.seconds[step], 1.05 * work / 4) << strategy << ", step " << step;
  }
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  here().compute(microseconds(100));
  return a + b;
}

/// 450 us of tasks for each step.
struct Summing {
  std::uint64_t value = 0;
  Task<> step() {
    const auto doubled = [](std::uint64_t given) {
      here().compute(microseconds(50));
      return 2 * given;
    };
    value += co_await spawn_then<&predicted>(here(), doubled, value);
    value = co_await spawn_group<&sum>(here(), GroupTravel::apart, call<&predicted>(value),
                                       call<&predicted>(value));
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

TEST(Balanced, B6_what_tasks_need_and_what_is_made_of_them_are_load_like_tasks) {
  SimulatedJobOptions options = testing::simulated(3);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice("ccp");
  SimulatedJob job(options);
  std::vector<double> loads;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Summing>> objects;
    for (int i = 0; rt.rank() == 0 && i < 12; ++i) objects.push_back(rt.create<Summing>());
    for (int step = 0; step < 10; ++step) {
      std::vector<am::Reply<void>> done;
      for (const mobile_ptr<Summing> object : objects)
        done.push_back(object.call<&Summing::step>());
      co_await roam::when_all(std::move(done));
      co_await rt.barrier();
      next_step(rt);
    }
    if (rt.rank() != 0) co_return;
    EXPECT_GT(Offloader::of(rt).tasks().counts().returned, 50U);
    rt.objects().for_each_resident(
        [&](const mobile::ResidentView& one) { loads.push_back(one.record.phase_seconds); });
  })) << job.error();
  ASSERT_EQ(loads.size(), 12U);
  EXPECT_GT(*std::ranges::min_element(loads), 9.9 * 450e-6);
  EXPECT_LT(*std::ranges::max_element(loads), 11 * 450e-6);
}

}  // namespace

}  // namespace roam::offload
