// SPDX-License-Identifier: Apache-2.0
#include "population.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace prk_pic {

namespace {

/// The relative number of particles of each column: the formulas of the reference implementation
/// with MPI (Parallel Research Kernels, MPI1/PIC-static).
std::vector<double> weights_of(const Problem& problem) {
  std::vector<double> weights(static_cast<std::size_t>(problem.grid));
  double power = 1;
  for (std::int64_t x = 0; x < problem.grid; ++x) {
    double& weight = weights[static_cast<std::size_t>(x)];
    const auto column = static_cast<double>(x);
    const auto columns = static_cast<double>(problem.grid);
    switch (problem.distribution) {
      case Distribution::geometric:
        weight = power;
        power *= problem.rho;
        break;
      case Distribution::sinusoidal:
        weight = std::pow(std::cos(std::numbers::pi * column / columns), 2);
        break;
      case Distribution::linear:
        weight = problem.beta - problem.alpha * column / (columns - 1);
        break;
      case Distribution::patch:
        weight = x >= problem.first[0] && x <= problem.last[0] ? 1 : 0;
        break;
    }
  }
  return weights;
}

/// The charge with which the four points around the middle of a cell pull a particle by one cell to
/// one side in the first step: both columns add up, the rows cancel out.
double unit_charge() {
  constexpr double squared = 0.5 * 0.5 + 0.5 * 0.5;         // of the distance to each point
  const double along = 0.5 / std::sqrt(squared) / squared;  // force of one of them in x
  return 1 / (2 * along);                                   // 4 points; half of it, in one step
}

std::int64_t wrapped(std::int64_t x, std::int64_t length) {
  return ((x % length) + length) % length;
}

}  // namespace

Population::Population(const Problem& problem) : problem_(problem) {
  const std::vector<double> weights = weights_of(problem);
  double sum = 0;
  for (const double weight : weights) sum += weight;
  first_of_column_.push_back(1);
  double before = 0;
  for (const double weight : weights) {
    before += weight;
    first_of_column_.push_back(
        1 + std::llround(static_cast<double>(problem.particles) * (before / sum)));
  }
}

std::int64_t Population::row_begin() const {
  return problem_.distribution == Distribution::patch ? problem_.first[1] : 0;
}

std::int64_t Population::row_count() const {
  return problem_.distribution == Distribution::patch ? problem_.last[1] - problem_.first[1] + 1
                                                      : problem_.grid;
}

std::int64_t Population::first_of(std::int64_t column, std::int64_t row) const {
  const auto x = static_cast<std::size_t>(column);
  const std::int64_t rows = std::clamp<std::int64_t>(row - row_begin(), 0, row_count());
  const std::int64_t count = first_of_column_[x + 1] - first_of_column_[x];
  // In two parts, since the product of count and rows might not fit.
  return first_of_column_[x] + count / row_count() * rows +
         count % row_count() * rows / row_count();
}

std::array<std::int64_t, 2> Population::cell_of(std::int64_t id) const {
  const auto above = std::upper_bound(first_of_column_.begin(), first_of_column_.end(), id);
  const std::int64_t column = above - first_of_column_.begin() - 1;
  // The highest row whose first particle is not beyond this one.
  std::int64_t low = row_begin();
  std::int64_t high = row_begin() + row_count();
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (first_of(column, middle) <= id ? low : high) = middle;
  }
  return {column, low};
}

Particle Population::start(std::int64_t id) const {
  const auto [column, row] = cell_of(id);
  Particle particle;
  particle.id = id;
  particle.x = static_cast<double>(column) + 0.5;
  particle.y = static_cast<double>(row) + 0.5;
  particle.vy = static_cast<double>(problem_.m);
  particle.charge = mesh_charge(column) * static_cast<double>(2 * problem_.k + 1) * unit_charge();
  return particle;
}

std::array<double, 2> Population::place(std::int64_t id, std::int64_t steps) const {
  const auto cell = cell_of(id);
  const auto way = problem_.displacement();
  const auto end = [&](std::size_t d) {
    return static_cast<double>(
               wrapped(cell[d] + steps % problem_.grid * (way[d] % problem_.grid), problem_.grid)) +
           0.5;
  };
  return {end(0), end(1)};
}

}  // namespace prk_pic
