// SPDX-License-Identifier: Apache-2.0
// Policies and strategies, distributed ones too, on ranks and workers that are threads: B1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"

namespace roam::phases_in_threads_test {

struct Sleeper {
  std::int64_t microseconds = 0;
  std::int64_t runs = 0;
  roam::mobile_ptr<Sleeper> neighbour = {};
  void meet(roam::mobile_ptr<Sleeper> other) { neighbour = other; }
  void hear(std::int64_t) {}
  void work() {
    ++runs;
    if (neighbour) neighbour.send<&Sleeper::hear>(runs);
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  }
  [[nodiscard]] std::int64_t count() const { return runs; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(microseconds, runs, neighbour);
  }
};

namespace {

class PhasesInThreads : public ::testing::TestWithParam<std::string> {
 protected:
  PhasesInThreads() {
    options.ranks = 4;
    options.ranks_given = true;
    options.workers = 2;
    options.transport = "in-process";
    options.balancer = parse_plugin_choice(GetParam());
  }
  /// Each rank's program is expected to end well.
  void run_each(const std::function<Task<>(Runtime&)>& program) const {
    EXPECT_EQ(run(options, program), 0);
  }
  static std::vector<mobile_ptr<Sleeper>> make(Runtime& rt, int count, std::int64_t microseconds) {
    std::vector<mobile_ptr<Sleeper>> made;
    for (int i = 0; i < count; ++i) made.push_back(rt.create<Sleeper>(Sleeper{microseconds}));
    return made;
  }
  /// All work is on one rank at first: some of it moves, and no call is lost.
  void run_uneven() const {
    std::atomic<std::uint64_t> moved{0};
    run_each([&](Runtime& rt) -> Task<> {
      const auto mine = make(rt, rt.rank() == 0 ? 40 : 0, 2000);
      for (std::size_t i = 0; i < mine.size(); ++i) {
        mine[i].send<&Sleeper::meet>(mine[i / 2]);
        for (int n = 0; n < 10; ++n) mine[i].send<&Sleeper::work>();
      }
      co_await rt.quiescence();
      moved += rt.statistics().migrations_out;
      for (const auto& object : mine) EXPECT_EQ(co_await object.call<&Sleeper::count>(), 10);
    });
    EXPECT_GT(moved.load(), 0U);
  }
  Options options;
};
using PoliciesInThreads = PhasesInThreads;

TEST_P(PoliciesInThreads, B1_move_work_and_lose_no_call) { run_uneven(); }

TEST_P(PhasesInThreads, B1_place_objects_anew_and_lose_no_call) {
  std::atomic<std::uint64_t> moved{0};
  run_each([&](Runtime& rt) -> Task<> {
    constexpr int phases = 4;
    const auto mine = make(rt, 12, rt.rank() == 0 ? 1500 : 300);
    for (int phase = 0; phase < phases; ++phase) {
      for (const auto& object : mine) object.send<&Sleeper::work>();
      const balance::PhaseReport report = co_await rt.phase();
      EXPECT_EQ(report.objects, 48U);
      if (rt.rank() == 0) moved += report.moved_objects;
    }
    for (const auto& object : mine) EXPECT_EQ(co_await object.call<&Sleeper::count>(), phases);
  });
  EXPECT_GT(moved.load(), 0U);
}

TEST_P(PhasesInThreads, B1_by_time_move_work_that_waits_and_lose_no_call) {
  options.load_model = parse_plugin_stack("smooth");
  options.phase_length_seconds = 0.01;
  run_uneven();
}

// What takes 1 ms on rank 3 takes four times as long on the others. Where other programs let
// threads wake up late, the measured times are less apart: then with longer ones.
TEST_P(PhasesInThreads, B6_fast_ranks_get_more_if_their_speed_is_told) {
  options.workers = 1;
  options.speeds = {0.25, 0.25, 0.25, 1};
  constexpr std::uint64_t enough = 22;
  constexpr std::int64_t longest = 32'000;
  std::atomic<std::uint64_t> on_the_fast_one{0};
  for (std::int64_t shortest = 1000; on_the_fast_one <= enough && shortest <= longest;
       shortest *= 2) {
    run_each([&](Runtime& rt) -> Task<> {
      const auto mine = make(rt, 14, rt.rank() == 3 ? shortest : 4 * shortest);
      for (const auto& object : mine) object.send<&Sleeper::work>();
      (void)co_await rt.phase();
      if (rt.rank() == 3) on_the_fast_one = rt.objects().resident_count();
    });
  }
  // 56 objects; an even share by speed is 32 for it, 8 for each of the others.
  EXPECT_GT(on_the_fast_one.load(), enough);
}

TEST(Speeds, R3_are_one_or_as_many_as_there_are_ranks) {
  Options options;
  options.ranks = 3;
  options.ranks_given = true;
  options.transport = "in-process";
  options.speeds = {1, 2};
  try {
    (void)run(options, [](Runtime&) -> Task<> { co_return; });
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "--roam-speed: 2 speeds, and this process has 3 ranks; allowed is one for all, "
                 "or one for each");
  }
}

std::string name_of(const ::testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PoliciesInThreads,
                         ::testing::Values("auto", "diffusion", "diffusion:initiation=both",
                                           "predictive", "work_stealing",
                                           "work_stealing:victim=hierarchical,group=2", "grapevine",
                                           "master_worker"),
                         name_of);

INSTANTIATE_TEST_SUITE_P(All, PhasesInThreads,
                         ::testing::Values("greedy", "hybrid:group_ranks=2", "hierarchical:arity=2",
                                           "gossip", "greedy_comm"),
                         name_of);

}  // namespace
}  // namespace roam::phases_in_threads_test
