// SPDX-License-Identifier: Apache-2.0
// The speeds and the noise of a simulated machine are those of its handlers.
#include <gtest/gtest.h>

#include <vector>

#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::simulated_speed_test {
namespace {

/// The time in seconds at which each rank has computed 100 times 10 ms.
std::vector<double> ends(const Machine& machine, std::uint64_t seed) {
  SimulatedJobOptions options;
  options.options.simulate = machine;
  options.options.seed = seed;
  SimulatedJob job(options);
  std::vector<double> result(static_cast<std::size_t>(machine.ranks));
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int i = 0; i < 100; ++i) rt.compute(from_seconds(0.01));
    result[rt.rank().index()] = seconds(rt.now());
    co_return;
  })) << job.error();
  return result;
}

Machine machine_of(std::vector<double> speeds, double noise) {
  Machine machine;
  machine.ranks = 4;
  machine.workers_per_rank = 1;
  machine.speeds = std::move(speeds);
  machine.noise = noise;
  return machine;
}

TEST(SimulatedSpeed, work_takes_its_time_over_the_speed_of_the_rank) {
  const auto end = ends(machine_of({1, 2, 0.5, 4}, 0), 1);
  EXPECT_NEAR(end[0], 1, 1e-4);
  EXPECT_NEAR(end[1], 0.5, 1e-4);
  EXPECT_NEAR(end[2], 2, 1e-4);
  EXPECT_NEAR(end[3], 0.25, 1e-4);
}

TEST(SimulatedSpeed, R1_noise_lengthens_work_by_a_seeded_part) {
  const auto end = ends(machine_of({1}, 0.5), 1);
  for (const double seconds : end) {
    EXPECT_GT(seconds, 1.15);
    EXPECT_LT(seconds, 1.35);
  }
  EXPECT_NE(end[0], end[1]);
  EXPECT_EQ(end, ends(machine_of({1}, 0.5), 1));
  EXPECT_NE(end, ends(machine_of({1}, 0.5), 2));
}

}  // namespace
}  // namespace roam::simulated_speed_test
