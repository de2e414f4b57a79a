// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "mesh/mesh.hpp"

namespace seismic {
namespace {

class Refinements : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Both, Refinements, ::testing::Values(2, 3));

TEST_P(Refinements, the_curve_visits_each_cell_once_and_only_neighbours_in_a_row) {
  const int digits = GetParam() == 2 ? 3 : 2;
  const int side = GetParam() == 2 ? 8 : 9;
  std::vector<CellPlace> visited(static_cast<std::size_t>(side * side * side), CellPlace{-1, 0, 0});
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const std::uint64_t index = curve_index({x, y, z}, digits, GetParam());
        ASSERT_LT(index, visited.size());
        ASSERT_EQ(visited[index][0], -1) << "two cells have index " << index;
        visited[index] = {x, y, z};
        const CellPlace coarse{x / GetParam(), y / GetParam(), z / GetParam()};
        const auto children = static_cast<std::uint64_t>(GetParam() * GetParam() * GetParam());
        ASSERT_EQ(index / children, curve_index(coarse, digits - 1, GetParam()));
      }
    }
  }
  for (std::size_t k = 1; k < visited.size(); ++k) {
    int distance = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      distance += std::abs(visited[k][axis] - visited[k - 1][axis]);
    }
    ASSERT_EQ(distance, 1) << "at " << k;
  }
}

Spacetree random_tree(int refinement, bool is_periodic) {
  RootGrid grid;
  grid.count = {3, 2, 2};
  grid.refinement = refinement;
  grid.is_periodic.fill(is_periodic);
  Spacetree tree(grid);
  std::mt19937 engine(3);
  for (int k = 0; k < 8; ++k) {
    const auto leaves = tree.leaves_in_order();
    const CellKey& key = leaves[engine() % leaves.size()];
    if (key.level < 3) tree.divide(key);
  }
  return tree;
}

TEST_P(Refinements, cells_that_touch_differ_by_one_level) {
  const Spacetree tree = random_tree(GetParam(), true);
  int deepest = 0;
  for (const CellKey& key : tree.leaves_in_order()) {
    deepest = std::max(deepest, key.level);
    for (int k = 0; k < 27; ++k) {
      const CellPlace offset{k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      const auto beside = tree.neighbour(key, offset);
      ASSERT_TRUE(beside);
      const auto leaf = tree.leaf_around(*beside);
      if (leaf) {
        EXPECT_GE(leaf->level, key.level - 1);
      }
    }
  }
  EXPECT_GE(deepest, 2) << "the test has not refined enough to see grading";
}

// The faces of all cells are covered once: areas of both sides and the boundary add up.
TEST_P(Refinements, faces_cover_every_cell) {
  for (const bool is_periodic : {false, true}) {
    const Mesh mesh = make_mesh(random_tree(GetParam(), is_periodic));
    EXPECT_EQ(mesh.boundary.empty(), is_periodic);
    EXPECT_FALSE(mesh.hanging.empty());
    std::vector<double> covered(mesh.cells.size() * 6, 0.0);
    const auto cover = [&](CellIndex cell, int face, double area) {
      covered[static_cast<std::size_t>(cell * 6 + face)] += area;
    };
    const auto area = [&](CellIndex cell) {
      const double size = mesh.cells[static_cast<std::size_t>(cell)].size;
      return size * size;
    };
    for (const InnerFace& f : mesh.inner) {
      cover(f.lower, 2 * f.direction + 1, area(f.upper));
      cover(f.upper, 2 * f.direction, area(f.lower));
    }
    for (const BoundaryFace& f : mesh.boundary)
      cover(f.cell, 2 * f.direction + f.side, area(f.cell));
    for (const HangingFace& f : mesh.hanging) {
      for (int part = 0; part < GetParam() * GetParam(); ++part) {
        const CellIndex fine = f.fine[static_cast<std::size_t>(part)];
        cover(f.coarse, 2 * f.direction + f.side, area(fine));
        cover(fine, 2 * f.direction + 1 - f.side, area(fine));
      }
    }
    for (std::size_t k = 0; k < covered.size(); ++k) {
      EXPECT_NEAR(covered[k], area(static_cast<CellIndex>(k / 6)), 1e-12) << "face " << k % 6;
    }
  }
}

TEST_P(Refinements, divided_cells_are_joined_unless_a_finer_one_touches_them) {
  RootGrid grid;
  grid.count = {2, 1, 1};
  grid.refinement = GetParam();
  Spacetree tree(grid);
  const CellKey left{0, {0, 0, 0}}, right{0, {1, 0, 0}};
  tree.divide(left);
  tree.divide(tree.child(left, {GetParam() - 1, 0, 0}));
  EXPECT_FALSE(tree.is_leaf(right)) << "grading divides it";
  EXPECT_FALSE(tree.join(right)) << "two levels would touch";
  EXPECT_TRUE(tree.join(tree.child(left, {GetParam() - 1, 0, 0})));
  EXPECT_TRUE(tree.join(right));
  EXPECT_TRUE(tree.join(left));
  EXPECT_EQ(tree.leaf_count(), 2U);
}

TEST(Partition, has_the_smallest_greatest_part) {
  std::mt19937 engine(4);
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<double> weights(12);
    for (double& weight : weights) weight = static_cast<double>(1 + engine() % 9);
    const auto begins = partition(weights, 3);
    ASSERT_EQ(begins.size(), 4U);
    const auto greatest = [&](std::size_t a, std::size_t b) {
      const auto sum = [&](std::size_t from, std::size_t to) {
        return std::accumulate(weights.begin() + static_cast<std::ptrdiff_t>(from),
                               weights.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
      };
      return std::max({sum(0, a), sum(a, b), sum(b, weights.size())});
    };
    double best = 1e9;
    for (std::size_t a = 0; a <= weights.size(); ++a) {
      for (std::size_t b = a; b <= weights.size(); ++b) best = std::min(best, greatest(a, b));
    }
    EXPECT_NEAR(greatest(begins[1], begins[2]), best, 1e-9);
    EXPECT_EQ(begins[3], weights.size());
  }
}

}  // namespace
}  // namespace seismic
