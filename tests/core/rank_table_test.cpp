// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/rank_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "roam/core/random.hpp"

namespace roam::core::rank_table_test {
namespace {

TEST(RankTable, holds_what_a_map_holds) {
  Random random(3);
  for (const std::uint64_t ranks : {1U, 5U, 64U, 100'000U}) {
    RankTable<std::uint64_t> table;
    std::map<Rank, std::uint64_t> wanted;
    for (int i = 0; i < 3000; ++i) {
      const Rank rank(static_cast<std::int32_t>(random.below(ranks)));
      const std::uint64_t value = random();
      EXPECT_EQ(table.at(rank), wanted[rank]);
      table.at(rank) = wanted[rank] = value;
      ASSERT_EQ(table.size(), wanted.size());
    }
    for (const auto& [rank, value] : wanted) EXPECT_EQ(table.at(rank), value);
    std::map<Rank, std::uint64_t> visited;
    table.for_each([&](Rank rank, std::uint64_t value) { visited[rank] = value; });
    EXPECT_EQ(visited, wanted);
  }
}

TEST(RankTable, makes_a_value_once_and_moves_it_when_it_grows) {
  RankTable<std::unique_ptr<int>> table;
  int made = 0;
  std::set<const int*> values;
  for (int round = 0; round < 2; ++round) {
    for (std::int32_t rank = 0; rank < 1000; rank += 7) {
      auto& value = table.at(rank, [&] { return ++made, std::make_unique<int>(rank); });
      EXPECT_EQ(*value, rank);
      values.insert(value.get());
    }
  }
  EXPECT_EQ(made, 143);
  EXPECT_EQ(values.size(), 143U);
}

TEST(RankTable, is_half_full_at_most_and_a_quarter_at_least) {
  RankTable<std::uint64_t> table;
  EXPECT_EQ(table.bytes(), 0U);
  for (std::int32_t rank = 0; rank < 1000; ++rank) table.at(rank) = 1;
  EXPECT_GE(table.bytes(), 2 * 1000 * 2 * sizeof(std::uint64_t));
  EXPECT_LE(table.bytes(), 4 * 1000 * 2 * sizeof(std::uint64_t));
}

}  // namespace
}  // namespace roam::core::rank_table_test
