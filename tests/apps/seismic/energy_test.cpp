// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fields.hpp"
#include "solve/stable_step.hpp"

namespace seismic::testing {
namespace {

/// Random values on a mesh with hanging faces, all kinds of boundaries, and materials whose
/// impedances differ ten times; some interfaces on faces, one through cells.
Problem contrast(int refinement, double contrast) {
  RootGrid grid;
  grid.size = 0.5;
  grid.count = {2, 2, 2};
  grid.refinement = refinement;
  grid.is_periodic = {false, true, false};
  Spacetree tree(grid);
  tree.divide({0, {0, 0, 0}});
  Problem problem;
  problem.mesh = make_mesh(tree);
  problem.boundaries = {Boundary::free,     Boundary::clamped,   Boundary::periodic,
                        Boundary::periodic, Boundary::symmetric, Boundary::antisymmetric};
  problem.material = [contrast](const Point& point) {
    const Material soft{1.0, 1.0, 0.5};
    const Material hard{contrast, contrast, 0.6 * contrast};
    return (point[2] < 0.5) != (point[0] < 0.62) ? soft : hard;
  };
  return problem;
}

class Energy : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Orders, Energy, ::testing::Values(1, 2, 3, 5, 7));

TEST_P(Energy, never_grows_across_a_contrast_of_ten) {
  for (const int refinement : {2, 3}) {
    Solver solver(contrast(refinement, std::sqrt(10.0)), GetParam());
    set_random(solver, 5);
    solver.set_step(solver.longest_step(0.9));
    double before = solver.energy();
    for (int step = 0; step < 60; ++step) {
      solver.advance(1);
      const double now = solver.energy();
      ASSERT_LE(now, before * (1.0 + 1e-12)) << "order " << GetParam() << ", step " << step;
      before = now;
    }
  }
}

// The bound on steps is one: just above it, energy grows.
TEST(StableStep, is_the_longest) {
  for (const double ratio : {0.1, 0.5, 0.8}) {
    for (const double factor : {0.97, 1.15}) {
      RootGrid grid;
      grid.count = {2, 2, 2};
      grid.is_periodic = {true, true, true};
      Problem problem;
      problem.mesh = make_mesh(Spacetree(grid));
      problem.boundaries.fill(Boundary::periodic);
      problem.material = [ratio](const Point&) { return Material{1.0, 1.0, ratio}; };
      Solver solver(std::move(problem), 4);
      set_random(solver, 6);
      solver.set_step(solver.longest_step(factor));
      const double before = solver.energy();
      solver.advance(400);
      EXPECT_EQ(solver.energy() < before, factor < 1.0) << ratio << " " << factor;
    }
  }
}

// Nothing is lost between free boundaries but what the flux damps: a resolved wave keeps its
// energy.
TEST(Energy, of_a_resolved_wave_is_kept) {
  RootGrid grid;
  grid.size = 0.5;
  grid.count = {2, 2, 2};
  grid.is_periodic = {true, true, true};
  Problem problem;
  problem.mesh = make_mesh(Spacetree(grid));
  problem.boundaries.fill(Boundary::periodic);
  const Material rock{2.0, 3.0, 1.0};
  problem.material = [rock](const Point&) { return rock; };
  Solver solver(std::move(problem), 6);
  const double k = 2.0 * std::numbers::pi;
  const PlaneWave wave{rock, {0.0, k, 0.0}, {0.0, 0.0, 1.0}, rock.s_speed};
  set_field(solver, [&](const Point& point) { return wave.at(point, 0.0); });
  const double before = solver.energy();
  EXPECT_NEAR(before, 0.5 * rock.density, 1e-6) << "half kinetic, half elastic, of amplitude 1";
  solver.set_step(solver.longest_step(0.9));
  solver.advance(50);
  EXPECT_NEAR(solver.energy() / before, 1.0, 1e-6);
}

}  // namespace
}  // namespace seismic::testing
