// SPDX-License-Identifier: Apache-2.0
// Where objects are at the beginning.
#include "support/start.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace support::start_test {

using Ranks = std::vector<std::int32_t>;

Ranks cores(Start start, std::int32_t ranks) {
  Ranks result;
  for (std::int32_t core = 0; core < ranks; ++core) {
    result.push_back(rank_of_core(start, core, ranks));
  }
  return result;
}

TEST(Start, deals_to_the_sockets_of_a_node_in_turn) {
  EXPECT_EQ(cores(Start::sockets, 16),
            (Ranks{0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15}));
}

TEST(Start, deals_to_the_nodes_in_turn) {
  EXPECT_EQ(cores(Start::nodes, 16), (Ranks{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}));
}

TEST(Start, renamed_keeps_neighbours_on_the_same_socket_and_node) {
  const Ranks ranks = cores(Start::renamed, 64);
  EXPECT_NE(ranks, cores(Start::tree, 64));
  for (std::size_t core = 0; core < ranks.size(); ++core) {
    EXPECT_EQ(ranks[core] / cores_of_socket,
              ranks[core - core % cores_of_socket] / cores_of_socket);
    EXPECT_EQ(ranks[core] / cores_of_node, static_cast<std::int32_t>(core) / cores_of_node);
  }
}

TEST(Start, uses_every_core_once) {
  for (const auto& [name, start] : starts()) {
    Ranks ranks = cores(start, 64);
    std::ranges::sort(ranks);
    EXPECT_EQ(ranks, cores(Start::tree, 64)) << name;
  }
}

TEST(Start, shuffled_is_a_permutation_that_leaves_hardly_anything_in_place) {
  for (const std::uint64_t objects : {1U, 2U, 3U, 7U, 64U, 65U, 960U, 5000U}) {
    std::vector<bool> has_come(objects);
    std::uint64_t unmoved = 0;
    for (std::uint64_t object = 0; object < objects; ++object) {
      const std::uint64_t position = position_of(Start::shuffled, object, objects);
      ASSERT_LT(position, objects);
      EXPECT_FALSE(has_come[position]) << objects;
      has_come[position] = true;
      unmoved += position == object ? 1 : 0;
    }
    if (objects >= 64) {
      EXPECT_LT(unmoved, 8U) << objects;
    }
  }
}

TEST(Start, gives_each_rank_as_many_objects_as_any_other) {
  for (const auto& [name, start] : starts()) {
    Ranks held(16, 0);
    for (std::uint64_t object = 0; object < 56; ++object) {
      ++held[static_cast<std::size_t>(rank_of_object(start, object, 56, 16))];
    }
    EXPECT_GE(std::ranges::min(held), 3) << name;
    EXPECT_LE(std::ranges::max(held), 4) << name;
  }
}

TEST(Start, needs_whole_nodes_for_some_starts) {
  EXPECT_EQ(problem_with(Start::tree, 5), "");
  EXPECT_EQ(problem_with(Start::shuffled, 5), "");
  EXPECT_EQ(problem_with(Start::nodes, 24), "");
  EXPECT_NE(problem_with(Start::nodes, 20), "");
  EXPECT_NE(problem_with(Start::sockets, 4), "");
}

}  // namespace support::start_test
