// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/assignment/assign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "roam/core/error.hpp"
#include "roam/core/random.hpp"

namespace assign_test {

namespace {

using namespace roam::topology;

constexpr std::int64_t forbidden = 1'000'000;

/// A small problem whose costs are also given as a matrix.
struct Problem {
  std::uint32_t rows;
  std::uint32_t columns;
  std::vector<AssignmentEntry> entries;
  std::vector<std::int64_t> matrix;
};

Problem random_problem(roam::core::Random& random, std::uint64_t costs) {
  Problem p;
  p.rows = 1 + static_cast<std::uint32_t>(random.below(6));
  p.columns = p.rows + static_cast<std::uint32_t>(random.below(3));
  p.matrix.assign(std::size_t{p.rows} * p.columns, forbidden);
  for (std::uint32_t row = 0; row < p.rows; ++row) {
    for (std::uint32_t column = 0; column < p.columns; ++column) {
      if (row != column && random.below(3) == 0) continue;
      const std::int64_t cost = static_cast<std::int64_t>(random.below(costs)) - 30;
      p.matrix[std::size_t{row} * p.columns + column] = cost;
      p.entries.push_back({row, column, cost});
    }
  }
  return p;
}

std::int64_t cost_of(const Problem& p, const std::vector<std::uint32_t>& column) {
  std::int64_t sum = 0;
  for (std::uint32_t row = 0; row < p.rows; ++row) {
    sum += p.matrix[std::size_t{row} * p.columns + column[row]];
  }
  return sum;
}

std::int64_t least_cost(const Problem& p) {
  std::vector<std::uint32_t> column(p.columns);
  std::iota(column.begin(), column.end(), 0U);
  std::int64_t least = cost_of(p, column);
  while (std::ranges::next_permutation(column).found) least = std::min(least, cost_of(p, column));
  return least;
}

TEST(Assignment, costs_as_little_as_trying_all) {
  roam::core::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Problem p = random_problem(random, i % 2 == 0 ? 100 : 5);
    const auto column = assign(SparseCosts(p.rows, p.columns, p.entries));
    ASSERT_EQ(std::set(column.begin(), column.end()).size(), p.rows);
    ASSERT_EQ(cost_of(p, column), least_cost(p)) << "problem " << i;
    ASSERT_EQ(cost_of(p, assign_dense(p.rows, p.columns, p.matrix)), least_cost(p));
  }
}

// The problem is too large to try all assignments. So this checks a necessary condition of
// optimality: no exchange of two rows, and no free column, is cheaper.
TEST(Assignment, no_exchange_of_two_is_cheaper_in_a_large_one) {
  roam::core::Random random(2);
  constexpr std::uint32_t size = 2000;
  std::vector<AssignmentEntry> entries;
  for (std::uint32_t row = 0; row < size; ++row) {
    entries.push_back({row, row, 1'000'000});
    for (int k = 0; k < 9; ++k) {
      entries.push_back({row, static_cast<std::uint32_t>(random.below(size)),
                         static_cast<std::int64_t>(random.below(1'000'000))});
    }
  }
  const SparseCosts costs(size, size, entries);
  const auto column = assign(costs);
  const auto cost = [&](std::uint32_t row, std::uint32_t wanted) {
    std::int64_t least = forbidden * forbidden;
    for (std::size_t i = 0; i < costs.columns_of(row).size(); ++i) {
      if (costs.columns_of(row)[i] == wanted) least = std::min(least, costs.costs_of(row)[i]);
    }
    return least;
  };
  std::vector<std::uint32_t> row_of(size);
  for (std::uint32_t row = 0; row < size; ++row) row_of[column[row]] = row;
  for (std::uint32_t row = 0; row < size; ++row) {
    for (const std::uint32_t other : costs.columns_of(row)) {
      const std::uint32_t rival = row_of[other];
      if (rival == row) continue;
      EXPECT_LE(cost(row, column[row]) + cost(rival, other),
                cost(row, other) + cost(rival, column[row]));
    }
  }
}

TEST(Assignment, says_that_none_covers_all_rows) {
  const std::vector<AssignmentEntry> entries{{0, 0, 1}, {1, 0, 1}, {2, 1, 1}, {2, 2, 1}};
  EXPECT_THROW((void)assign(SparseCosts(3, 3, entries)), roam::Error);
  EXPECT_THROW((void)assign(SparseCosts(3, 2, {})), roam::Error);
}

TEST(Assignment, refuses_what_does_not_fit) {
  const std::vector<AssignmentEntry> outside{{0, 7, 1}};
  const std::vector<AssignmentEntry> large{{0, 0, std::int64_t{1} << 61}};
  EXPECT_THROW(SparseCosts(3, 3, outside), roam::Error);
  EXPECT_THROW(SparseCosts(3, 3, large), roam::Error);
  EXPECT_THROW((void)assign_dense(2001, 2001, {}), roam::Error);
  EXPECT_THROW((void)assign_dense(2, 2, std::vector<std::int64_t>{1, 2, 3}), roam::Error);
}

TEST(Assignment, for_gain_keeps_what_gains_nothing_where_it_is) {
  // Rows 0 and 1 both gain on column 1; row 3 gains on 2 and gets it; row 2 gains nowhere.
  const auto column = assign_for_gain(4, {{0, 1, 5}, {1, 1, 4}, {1, 1, 3}, {3, 2, 1}});
  EXPECT_EQ(column, (std::vector<std::uint32_t>{0, 1, 3, 2}));
}

// Even if searches end early, the result is at least as good as taking the largest gains first.
TEST(Assignment, for_gain_in_a_large_one_beats_taking_the_largest_first) {
  roam::core::Random random(4);
  constexpr std::uint32_t size = 3 * most_exact_rows;
  std::vector<AssignmentGain> gains;
  for (std::uint32_t i = 0; i < 13 * size; ++i) {
    gains.push_back({i / 13, static_cast<std::uint32_t>(random.below(size)),
                     static_cast<std::int64_t>(1 + random.below(1000))});
  }
  const auto column = assign_for_gain(size, gains);
  EXPECT_EQ(std::set(column.begin(), column.end()).size(), size);
  std::int64_t gained = 0;
  for (const AssignmentGain& g : gains) gained += column[g.row] == g.column ? g.gain : 0;
  std::ranges::stable_sort(gains, std::ranges::greater{}, &AssignmentGain::gain);
  std::vector<bool> has_column(size);
  std::vector<bool> is_taken(size);
  std::int64_t greedy = 0;
  for (const AssignmentGain& g : gains) {
    if (has_column[g.row] || is_taken[g.column]) continue;
    has_column[g.row] = is_taken[g.column] = true;
    greedy += g.gain;
  }
  EXPECT_GE(gained, greedy);
}

TEST(Assignment, for_gain_is_greatest) {
  roam::core::Random random(3);
  for (int i = 0; i < 500; ++i) {
    Problem p = random_problem(random, 60);
    p.columns = p.rows;
    std::vector<AssignmentGain> gains;
    p.matrix.assign(std::size_t{p.rows} * p.rows, 0);
    for (const AssignmentEntry& e : p.entries) {
      if (e.column >= p.rows) continue;
      gains.push_back({e.row, e.column, e.cost + 30});
      p.matrix[std::size_t{e.row} * p.rows + e.column] = -(e.cost + 30);
    }
    const auto column = assign_for_gain(p.rows, gains);
    ASSERT_EQ(std::set(column.begin(), column.end()).size(), p.rows);
    ASSERT_EQ(cost_of(p, column), least_cost(p));
  }
}

}  // namespace

}  // namespace assign_test
