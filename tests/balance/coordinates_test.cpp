// SPDX-License-Identifier: Apache-2.0
// Objects of a running program have coordinates if their class says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "roam/balance/detail/phases.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::coordinates_test {

/// A cell on a line; the further right, the more work it has.
struct Cell {
  double x = 0;
  [[nodiscard]] std::array<double, 3> coordinates() const { return {x, 0, 0}; }
  void work() { roam::here().compute(roam::from_seconds(1e-3 * (1 + x))); }
  [[nodiscard]] std::int32_t where() const { return roam::here().rank().value(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(x);
  }
};

struct Lost {
  void work() { roam::here().compute(std::chrono::milliseconds(1)); }
  template <class Archive>
  void serialize(Archive&) {}
};

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

static_assert(mobile::HasCoordinates<Cell> && !mobile::HasCoordinates<Lost>);

SimulatedJobOptions options_of(double phase_length, std::uint64_t seed = 1) {
  SimulatedJobOptions job;
  job.options.simulate.emplace();
  job.options.simulate->ranks = 4;
  job.options.simulate->workers_per_rank = 1;
  job.options.balancer = parse_plugin_choice("recursive_bisection");
  job.options.phase_length_seconds = phase_length;
  job.options.seed = seed;
  job.message_delay = std::chrono::microseconds(20);
  job.reorder = job.shuffle_ties = true;
  return job;
}

constexpr int cells = 64;

/// The cells are assigned to the ranks in turn, so that neighbours are never together.
Task<> line(Runtime& rt, bool declares_phases, std::vector<std::int32_t>& places) {
  std::vector<mobile_ptr<Cell>> mine;
  for (int i = rt.rank().value(); i < cells; i += rt.size()) {
    mine.push_back(rt.create<Cell>(Cell{double(i)}));
  }
  for (int step = 0; step < 3; ++step) {
    for (const auto& cell : mine) cell.send<&Cell::work>();
    if (declares_phases) {
      (void)co_await rt.phase();
    } else {
      co_await rt.quiescence();
    }
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    places[i * static_cast<std::size_t>(rt.size()) + rt.rank().index()] =
        co_await mine[i].call<&Cell::where>();
  }
}

TEST(Coordinates, keep_neighbours_together_where_phases_are_declared) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SimulatedJob job(options_of(0, seed));
    std::vector<std::int32_t> places(cells);
    ASSERT_TRUE(job.run([&](Runtime& rt) { return line(rt, true, places); })) << job.error();
    EXPECT_TRUE(std::ranges::is_sorted(places)) << seed;
    EXPECT_GT(std::ranges::count(places, 0), std::ranges::count(places, 3)) << "less work each";
  }
}

TEST(Coordinates, are_known_to_strategies_that_act_by_time) {
  SimulatedJob job(options_of(0.1));
  std::vector<std::int32_t> places(cells);
  ASSERT_TRUE(job.run([&](Runtime& rt) { return line(rt, false, places); })) << job.error();
  int borders = 0;
  for (std::size_t i = 1; i < places.size(); ++i) borders += places[i] != places[i - 1] ? 1 : 0;
  EXPECT_LT(borders, 30) << "of 63";
}

Task<> lost(Runtime& rt) {
  for (int i = 0; i < 4 * (1 + rt.rank().value()); ++i) rt.create<Lost>().send<&Lost::work>();
  (void)co_await rt.phase();
}

TEST(Coordinates, that_are_needed_and_missing_end_the_job_with_the_name_of_the_class) {
  for (const double phase_length : {0.0, 0.002}) {
    SimulatedJob job(options_of(phase_length));
    EXPECT_FALSE(job.run(lost));
    EXPECT_THAT(job.error(), AllOf(HasSubstr("coordinates_test::Lost have none"),
                                   HasSubstr("std::array<double, 3> coordinates() const")));
  }
}

}  // namespace
}  // namespace roam::balance::coordinates_test
