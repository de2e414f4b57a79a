// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "fields.hpp"
#include "kernels/kernels.hpp"

namespace seismic::testing {
namespace {

class Kernel : public ::testing::TestWithParam<int> {
 protected:
  /// A cell of random values after a prediction and a correction with random face values.
  AlignedArray result(InstructionSet set, const double* varying) {
    const Kernels kernels = make_kernels(GetParam(), set);
    const Layout& layout = kernels.layout;
    AlignedArray state(layout.cell()), traces(layout.traces()), scratch(kernels.scratch_size());
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    for (int q = 0; q < quantities; ++q) {
      for (int z = 0; z < layout.nodes; ++z) {
        for (int y = 0; y < layout.nodes; ++y) {
          for (int x = 0; x < layout.nodes; ++x) {
            state[static_cast<std::size_t>(q * layout.quantity() + layout.at(x, y, z))] =
                any(engine);
          }
        }
      }
    }
    const CellMaterial material{elasticity(rock), varying};
    kernels.predict(kernels.operators, {state.data(), material, 0.5, 0.01},
                    {state.data(), traces.data()}, scratch.data());
    kernels.correct(kernels.operators, {traces.data(), material, 0.5, 0.01}, state.data());
    return state;
  }

  void expect_near(const AlignedArray& a, const AlignedArray& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], tolerance) << k;
  }

  const Material rock{1.5, 1.2, 0.6};
};
INSTANTIATE_TEST_SUITE_P(Orders, Kernel, ::testing::Range(lowest_order, highest_order + 1));

TEST_P(Kernel, instruction_sets_agree) {
  if (best_instruction_set() == InstructionSet::baseline)
    GTEST_SKIP() << "this processor has the baseline instruction set alone";
  expect_near(result(InstructionSet::baseline, nullptr), result(InstructionSet::avx2, nullptr),
              1e-11);
}

TEST_P(Kernel, a_varying_material_that_is_constant_is_a_uniform_one) {
  const Layout layout{GetParam() + 1};
  const auto quantity = static_cast<std::size_t>(layout.quantity());
  AlignedArray values(3 * quantity);
  const Elasticity e = elasticity(rock);
  std::fill_n(values.data(), quantity, e.inverse_density);
  std::fill_n(values.data() + quantity, quantity, e.lambda);
  std::fill_n(values.data() + 2 * quantity, quantity, e.mu);
  expect_near(result(best_instruction_set(), values.data()),
              result(best_instruction_set(), nullptr), 1e-11);
}

TEST_P(Kernel, padding_stays_zero) {
  const Layout layout{GetParam() + 1};
  const AlignedArray state = result(best_instruction_set(), nullptr);
  for (int q = 0; q < quantities; ++q) {
    for (int row = 0; row < layout.nodes * layout.nodes; ++row) {
      for (int x = layout.nodes; x < layout.row(); ++x) {
        ASSERT_EQ(state[static_cast<std::size_t>(q * layout.quantity() + row * layout.row() + x)],
                  0.0);
      }
    }
  }
}

TEST(Kernels, refuse_orders_that_there_are_not) {
  EXPECT_THROW(static_cast<void>(make_kernels(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_kernels(10)), std::invalid_argument);
}

// Steps in a row are bitwise those one by one: a cell is only visited in another order.
TEST(Solver, steps_at_once_are_the_same_bits) {
  const auto run = [](const std::vector<int>& portions) {
    RootGrid grid;
    grid.count = {2, 1, 1};
    Spacetree tree(grid);
    tree.divide({0, {0, 0, 0}});
    Problem problem;
    problem.mesh = make_mesh(tree);
    problem.boundaries.fill(Boundary::free);
    problem.material = [](const Point&) { return Material{1.5, 1.2, 0.6}; };
    problem.sources.push_back({{0.4, 0.5, 0.5}, {1, 2, 3, 4, 5, 6}, gaussian_rate(0.1, 0.05)});
    Solver solver(std::move(problem), 3);
    set_random(solver, 8);
    solver.set_step(solver.longest_step(0.9));
    for (const int steps : portions) solver.advance(steps);
    std::vector<double> values(solver.state(0), solver.state(0) + solver.kernels().layout.cell());
    return values;
  };
  EXPECT_EQ(run({5}), run({1, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace seismic::testing
