// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "fields.hpp"

namespace seismic::testing {
namespace {

const Material wave_rock{1.3, 1.0, 0.57};

/// The error of a wave that has gone a fifth of its length through a periodic unit cube of
/// roots^3 cells; with a refinement, a quarter of them is divided.
double error_of(const PlaneWave& wave, int order, int roots, int refinement) {
  RootGrid grid;
  grid.size = 1.0 / roots;
  grid.count = {roots, roots, roots};
  grid.is_periodic = {true, true, true};
  if (refinement != 0) grid.refinement = refinement;
  Spacetree tree(grid);
  if (refinement != 0) {
    tree.refine([](const Point& lower, double size) {
      return lower[0] + size < 0.5 + 1e-9 && lower[1] + size < 0.5 + 1e-9 ? 1 : 0;
    });
  }
  Problem problem;
  problem.mesh = make_mesh(tree);
  problem.boundaries.fill(Boundary::periodic);
  problem.material = [](const Point&) { return wave_rock; };
  Solver solver(std::move(problem), order);
  set_field(solver, [&](const Point& point) { return wave.at(point, 0.0); });
  const auto steps = static_cast<std::int64_t>(std::ceil(0.2 / solver.longest_step(0.9)));
  solver.set_step(0.2 / static_cast<double>(steps));
  solver.advance(steps);
  return relative_error(
      solver, [&](const Point& point) { return wave.at(point, solver.time()); }, wave_rock);
}

PlaneWave wave(bool is_p) {
  const double k = 2.0 * std::numbers::pi;
  const double a = std::sqrt(0.5), b = std::sqrt(1.0 / 3.0);
  if (is_p) return {wave_rock, {k, k, 0.0}, {a, a, 0.0}, wave_rock.p_speed};
  return {wave_rock, {k, k, 0.0}, {b, -b, b}, wave_rock.s_speed};
}

class PlaneWaves : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Orders, PlaneWaves, ::testing::Range(1, 8));

// A wave of order p converges with order p + 1.
TEST_P(PlaneWaves, converge_in_a_periodic_cube) {
  const int roots = std::array{0, 8, 6, 6, 4, 3, 3, 2}[static_cast<std::size_t>(GetParam())];
  for (const bool is_p : {true, false}) {
    const double coarse = error_of(wave(is_p), GetParam(), roots, 0);
    const double fine = error_of(wave(is_p), GetParam(), 2 * roots, 0);
    EXPECT_NEAR(std::log2(coarse / fine), GetParam() + 1, 0.2) << (is_p ? "P" : "S");
  }
}

TEST_P(PlaneWaves, converge_across_hanging_faces) {
  // Two refinements, orders and waves in turn: all of them would take minutes.
  const int refinement = GetParam() % 2 == 0 ? 2 : 3;
  const int roots = GetParam() < 4 ? 4 : 2;
  if (refinement == 3 && GetParam() > 5) return;
  const PlaneWave any = wave(GetParam() % 4 < 2);
  const double coarse = error_of(any, GetParam(), roots, refinement);
  const double fine = error_of(any, GetParam(), 2 * roots, refinement);
  EXPECT_NEAR(std::log2(coarse / fine), GetParam() + 1, 0.5);
}

/// A wave of random direction, among those that a periodic cube has, and polarisation.
PlaneWave random_wave(std::mt19937& engine, bool is_p) {
  std::uniform_int_distribution<int> any(-2, 2);
  Point k{};
  while (k == Point{}) {
    for (double& component : k) component = 2.0 * std::numbers::pi * any(engine);
  }
  const double length = std::hypot(k[0], k[1], k[2]);
  Point along{k[0] / length, k[1] / length, k[2] / length};
  if (is_p) return {wave_rock, k, along, wave_rock.p_speed};
  // At right angles: a random vector crossed with the direction.
  std::normal_distribution<double> normal;
  const Point other{normal(engine), normal(engine), normal(engine)};
  Point across{along[1] * other[2] - along[2] * other[1], along[2] * other[0] - along[0] * other[2],
               along[0] * other[1] - along[1] * other[0]};
  const double size = std::hypot(across[0], across[1], across[2]);
  for (double& component : across) component /= size;
  return {wave_rock, k, across, wave_rock.s_speed};
}

TEST(PlaneWave, converges_in_random_directions) {
  const unsigned seed = 20;
  std::mt19937 engine(seed);
  for (int trial = 0; trial < 6; ++trial) {
    const int order = 3 + trial % 2;
    const PlaneWave any = random_wave(engine, trial % 3 == 0);
    const double coarse = error_of(any, order, 4, 0);
    const double fine = error_of(any, order, 8, 0);
    EXPECT_NEAR(std::log2(coarse / fine), order + 1, 0.5) << "seed " << seed << ", trial " << trial;
  }
}

}  // namespace
}  // namespace seismic::testing
