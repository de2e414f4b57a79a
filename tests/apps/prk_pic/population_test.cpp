// SPDX-License-Identifier: Apache-2.0
// How many particles the columns have: the distributions of the Parallel Research Kernels.
#include "prk_pic/population.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace prk_pic::population_test {

std::vector<std::int64_t> columns(const Problem& problem) {
  const Population population(problem);
  std::vector<std::int64_t> counts;
  for (std::int64_t x = 0; x < problem.grid; ++x)
    counts.push_back(population.first_of(x, problem.grid) - population.first_of(x, 0));
  return counts;
}

using Counts = std::vector<std::int64_t>;

TEST(Population, is_sinusoidal_with_one_period) {
  // 2 cos(pi x / 12)^2 n / 12: the squares of 1, sqrt(3)/2, 1/2 and 0 are at every second column.
  const Counts found =
      columns({.grid = 12, .particles = 24000, .distribution = Distribution::sinusoidal});
  for (const std::size_t x : {0U, 2U, 4U, 6U, 8U, 10U}) {
    const double expected[] = {4000, 3000, 1000, 0, 1000, 3000};
    EXPECT_NEAR(static_cast<double>(found[x]), expected[x / 2], 1) << x;
  }
}

TEST(Population, falls_linearly_from_the_first_column_to_the_last) {
  Problem problem{.grid = 6, .particles = 3000, .distribution = Distribution::linear};
  problem.alpha = 1;
  problem.beta = 1;
  EXPECT_EQ(columns(problem), (Counts{1000, 800, 600, 400, 200, 0}));
  problem.beta = 2;
  problem.particles = 9000;
  EXPECT_EQ(columns(problem), (Counts{2000, 1800, 1600, 1400, 1200, 1000}));
}

TEST(Population, is_geometric_or_within_a_patch) {
  Problem problem{.grid = 4, .particles = 1500, .distribution = Distribution::geometric};
  problem.rho = 0.5;
  EXPECT_EQ(columns(problem), (Counts{800, 400, 200, 100}));
  problem.distribution = Distribution::patch;
  problem.first = {1, 2};
  problem.last = {2, 3};
  EXPECT_EQ(columns(problem), (Counts{0, 750, 750, 0}));
  const Population patch(problem);
  EXPECT_EQ(patch.first_of(1, 2), 1);
  EXPECT_EQ(patch.first_of(1, 3), 376);
}

}  // namespace prk_pic::population_test
