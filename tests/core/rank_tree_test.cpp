// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/rank_tree.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "roam/core/machine.hpp"

namespace rank_tree_test {

namespace {

using roam::Rank;
using roam::core::RankTree;

TEST(RankTree, every_rank_but_the_first_is_the_child_of_its_parent_and_of_nobody_else) {
  for (const std::int32_t size : {1, 2, 3, 4, 7, 8, 1000}) {
    std::vector<std::int32_t> parent(static_cast<std::size_t>(size), -1);
    for (std::int32_t rank = 0; rank < size; ++rank) {
      std::size_t count = 0;
      for (const Rank child : RankTree(rank, size).children()) {
        ASSERT_LT(child.value(), size);
        EXPECT_EQ(parent[child.index()], -1) << "rank " << child.value() << " has two parents";
        parent[child.index()] = rank;
        EXPECT_TRUE(RankTree(rank, size).children().contain(child));
        ++count;
      }
      EXPECT_EQ(RankTree(rank, size).children().size(), count);
    }
    EXPECT_FALSE(RankTree(0, size).parent());
    for (std::int32_t rank = 1; rank < size; ++rank)
      EXPECT_EQ(RankTree(rank, size).parent(), Rank(parent[static_cast<std::size_t>(rank)]));
  }
}

TEST(RankTree, the_largest_job_overflows_nothing) {
  const RankTree last(roam::max_ranks - 1, roam::max_ranks);
  EXPECT_EQ(last.children().size(), 0U);
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(RankTree(most - 1, most).children().size(), 0U);
  EXPECT_EQ(RankTree(most / 2 - 1, most).children().size(), 2U);
}

}  // namespace

}  // namespace rank_tree_test
