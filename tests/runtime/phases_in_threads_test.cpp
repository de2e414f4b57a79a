// SPDX-License-Identifier: Apache-2.0
// Strategies, distributed ones too, on ranks and workers that are threads: B1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"

namespace phases_in_threads_test {

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

}  // namespace phases_in_threads_test

namespace roam {
namespace {

using phases_in_threads_test::Sleeper;

class PhasesInThreads : public ::testing::TestWithParam<std::string> {};

TEST_P(PhasesInThreads, B1_place_objects_anew_and_lose_no_call) {
  Options options;
  options.ranks = 4;
  options.ranks_given = true;
  options.workers = 2;
  options.transport = "in-process";
  options.balancer = parse_plugin_choice(GetParam());
  std::atomic<std::uint64_t> moved{0};
  const int status = run(options, [&](Runtime& rt) -> Task<> {
    constexpr int phases = 4;
    std::vector<mobile_ptr<Sleeper>> mine;
    for (int i = 0; i < 12; ++i) {
      mine.push_back(rt.create<Sleeper>(Sleeper{rt.rank() == 0 ? 1500 : 300}));
    }
    for (int phase = 0; phase < phases; ++phase) {
      for (const auto& object : mine) object.send<&Sleeper::work>();
      const balance::PhaseReport report = co_await rt.phase();
      EXPECT_EQ(report.objects, 48U);
      if (rt.rank() == 0) moved += report.moved_objects;
    }
    for (const auto& object : mine) EXPECT_EQ(co_await object.call<&Sleeper::count>(), phases);
  });
  EXPECT_EQ(status, 0);
  EXPECT_GT(moved.load(), 0U);
}

TEST_P(PhasesInThreads, B1_by_time_move_work_that_waits_and_lose_no_call) {
  Options options;
  options.ranks = 4;
  options.ranks_given = true;
  options.workers = 2;
  options.transport = "in-process";
  options.balancer = parse_plugin_choice(GetParam());
  options.load_model = parse_plugin_stack("smooth");
  options.phase_length_seconds = 0.01;
  std::atomic<std::uint64_t> moved{0};
  const int status = run(options, [&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Sleeper>> mine;
    for (int i = 0; rt.rank() == 0 && i < 40; ++i) {
      mine.push_back(rt.create<Sleeper>(Sleeper{2000}));
      mine.back().send<&Sleeper::meet>(mine[static_cast<std::size_t>(i / 2)]);
      for (int n = 0; n < 10; ++n) mine.back().send<&Sleeper::work>();
    }
    co_await rt.quiescence();
    moved += rt.statistics().migrations_out;
    for (const auto& object : mine) EXPECT_EQ(co_await object.call<&Sleeper::count>(), 10);
  });
  EXPECT_EQ(status, 0);
  EXPECT_GT(moved.load(), 0U);
}

// What takes 1 ms on rank 3 takes four times as long on the others.
TEST_P(PhasesInThreads, B6_fast_ranks_get_more_if_their_speed_is_told) {
  Options options;
  options.ranks = 4;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  options.balancer = parse_plugin_choice(GetParam());
  options.speeds = {0.25, 0.25, 0.25, 1};
  std::atomic<std::uint64_t> on_the_fast_one{0};
  const int status = run(options, [&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Sleeper>> mine;
    for (int i = 0; i < 14; ++i) {
      mine.push_back(rt.create<Sleeper>(Sleeper{rt.rank() == 3 ? 1000 : 4000}));
    }
    for (const auto& object : mine) object.send<&Sleeper::work>();
    (void)co_await rt.phase();
    if (rt.rank() == 3) on_the_fast_one = rt.objects().resident_count();
  });
  EXPECT_EQ(status, 0);
  // 56 objects; an even share by speed is 32 for it, 8 for each of the others.
  EXPECT_GT(on_the_fast_one.load(), 22U);
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

INSTANTIATE_TEST_SUITE_P(All, PhasesInThreads,
                         ::testing::Values("greedy", "hybrid:group_ranks=2", "hierarchical:arity=2",
                                           "gossip", "greedy_comm"),
                         [](const auto& tested) {
                           return tested.param.substr(0, tested.param.find(':'));
                         });

}  // namespace
}  // namespace roam
