// SPDX-License-Identifier: Apache-2.0
#include "solve/adaptation.hpp"

#include <gtest/gtest.h>

#include "fields.hpp"
#include "solve/sequential_run.hpp"

namespace seismic::testing {
namespace {

Solver solver_on(const Spacetree& tree, int order) {
  Problem problem;
  problem.mesh = make_mesh(tree);
  problem.boundaries.fill(Boundary::free);
  problem.material = [](const Point&) { return Material{1.0, 1.0, 0.5}; };
  return Solver(std::move(problem), order);
}

/// A polynomial of degree `order` in each direction.
Values polynomial(const Point& p, int order) {
  Values values{};
  for (std::size_t q = 0; q < values.size(); ++q) {
    values[q] = static_cast<double>(q) + std::pow(p[0], order) * (p[1] - 0.3) - p[2] * p[2];
  }
  return values;
}

class Transfer : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Refinements, Transfer, ::testing::Values(2, 3));

TEST_P(Transfer, is_exact_for_the_cells_polynomials_both_ways) {
  RootGrid grid;
  grid.count = {2, 1, 1};
  grid.refinement = GetParam();
  Spacetree coarse(grid), mixed(grid), fine(grid);
  mixed.divide({0, {0, 0, 0}});
  fine.divide({0, {0, 0, 0}});
  fine.divide({0, {1, 0, 0}});
  const auto field = [](const Point& point) { return polynomial(point, 3); };
  for (const auto& [before, after] :
       {std::pair{&coarse, &mixed}, std::pair{&mixed, &fine}, std::pair{&fine, &coarse}}) {
    Solver from = solver_on(*before, 3), to = solver_on(*after, 3);
    set_field(from, field);
    transfer(from, to);
    EXPECT_LT(relative_error(to, field, {1.0, 1.0, 0.5}), 1e-13);
  }
}

TEST_P(Transfer, joining_keeps_integrals_and_loses_energy_only) {
  RootGrid grid;
  grid.refinement = GetParam();
  Spacetree coarse(grid), fine(grid);
  fine.divide({0, {0, 0, 0}});
  Solver from = solver_on(fine, 2), to = solver_on(coarse, 2);
  set_random(from, 9);
  transfer(from, to);
  const auto integral = [](const Solver& solver) {
    double sum = 0.0;
    for_each_node(solver, [&](CellIndex cell, int node, const Point&, double weight) {
      sum += weight * solver.state(cell)[syz * solver.kernels().layout.quantity() + node];
    });
    return sum;
  };
  EXPECT_NEAR(integral(to), integral(from), 1e-14);
  EXPECT_LT(to.energy(), from.energy());
}

// The mesh follows the wave out and closes behind it; what is recorded is what a mesh that is fine
// everywhere records.
TEST(Adaptation, follows_the_wave) {
  Settings settings;
  settings.order = 3;
  settings.end = 1.0;
  settings.sampling = 0.02;
  settings.grid.size = 0.5;
  settings.grid.count = {6, 2, 2};
  settings.grid.refinement = 2;
  settings.boundaries = {Boundary::absorbing, Boundary::absorbing, Boundary::free,
                         Boundary::absorbing, Boundary::free,      Boundary::absorbing};
  settings.layers = {{0.0, {1.0, 2.5, 1.4}}};
  settings.sources.push_back({{0.3, 0.3, 0.3}, {1, 1, 1, 0, 0, 0}, gaussian_rate(0.05, 0.15)});
  settings.receivers = {{"r", {1.8, 0.4, 0.4}}};
  Settings fine = settings;
  fine.refined = {{{0, 0, 0}, {3, 1, 1}, 1}};
  settings.refined = {{{0, 0, 0}, {0.5, 0.5, 0.5}, 1}};
  settings.adapt = {0.04, 0.05, 0.02, 1};
  SequentialRun adaptive(settings, best_instruction_set());
  SequentialRun uniform(fine, best_instruction_set());
  adaptive.run(nullptr);
  uniform.run(nullptr);
  EXPECT_EQ(uniform.figures().most_cells, 192U);
  EXPECT_LT(adaptive.figures().updates, 0.8 * uniform.figures().updates);
  EXPECT_LT(adaptive.figures().least_cells, adaptive.figures().most_cells);
  double away = 0.0, norm = 0.0;
  for (std::size_t k = 0; k < uniform.receivers().samples(0).size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double exact = uniform.receivers().samples(0)[k][c];
      away += std::pow(adaptive.receivers().samples(0)[k][c] - exact, 2);
      norm += exact * exact;
    }
  }
  EXPECT_LT(std::sqrt(away / norm), 0.03);
}

}  // namespace
}  // namespace seismic::testing
