// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/treematch.hpp"

#include <gtest/gtest.h>

#include <set>

#include "roam/core/error.hpp"
#include "roam/topology/detail/mapping/map_to_tree.hpp"
#include "support/communication_instances.hpp"

namespace treematch_test {

namespace {

using namespace roam::topology;

/// Figure 2 of Jeannot et al. 2013: two rows of four objects that communicate along the rows and
/// across.
CommunicationGraph figure2() {
  std::vector<Communication> communications;
  for (std::uint32_t row = 0; row < 8; row += 4) {
    communications.insert(
        communications.end(),
        {{row, row + 1, 2000}, {row + 1, row + 2, 2000}, {row + 2, row + 3, 2000}});
    communications.insert(communications.end(),
                          {{row, row + 2, 20}, {row, row + 3, 2}, {row + 1, row + 3, 2}});
  }
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (std::uint32_t j = 4; j < 8; ++j)
      communications.push_back({i, j, j == i + 4 ? 200.0 : 2.0});
  }
  return CommunicationGraph(8, communications);
}

TEST(Treematch, constraints_of_figure_1) {
  // Leaves 0, 2, 4 of the first half of 2:3:2 and one of the second are barred: three objects to
  // the left, five to the right.
  const auto tree = roam::parse_machine_tree("2:3:2@100:10:1!0,2,4,6", "test");
  const Mapping mapping = treematch_constrained(figure2(), tree);
  EXPECT_EQ(std::set(mapping.begin(), mapping.end()).size(), 8U);
  int left = 0;
  for (const std::int32_t leaf : mapping) {
    EXPECT_TRUE(tree.is_usable(leaf));
    left += leaf < 6;
  }
  EXPECT_EQ(left, 3);
  // The three are neighbours of one row, as in the paper.
  std::vector<std::uint32_t> three;
  for (std::uint32_t v = 0; v < 8; ++v) {
    if (mapping[v] < 6) three.push_back(v);
  }
  EXPECT_EQ(three[0] / 4, three[2] / 4);
}

TEST(Treematch, pairs_that_communicate_most_share_what_they_can) {
  std::vector<Communication> communications;
  for (std::uint32_t v = 0; v < 8; v += 2) communications.push_back({v, v + 1, 10});
  for (std::uint32_t v = 1; v < 7; v += 2) communications.push_back({v, v + 1, 1});
  const auto tree = roam::parse_machine_tree("4:2@10:1", "test");
  const Mapping mapping = treematch(CommunicationGraph(8, communications), tree);
  EXPECT_EQ(std::set(mapping.begin(), mapping.end()).size(), 8U);
  for (std::size_t v = 0; v < 8; v += 2) EXPECT_EQ(mapping[v] / 2, mapping[v + 1] / 2);
}

TEST(Treematch, fills_leaves_evenly) {
  const CommunicationGraph graph = instances::shuffled(instances::leanmd(4), 1).graph();
  const auto tree = roam::parse_machine_tree("8:2:4@100:10:1", "test");
  std::vector<int> on_leaf(64);
  for (const std::int32_t leaf : treematch(graph, tree)) ++on_leaf[static_cast<std::size_t>(leaf)];
  EXPECT_EQ(std::set(on_leaf.begin(), on_leaf.end()), (std::set{15}));
}

// Shows that chance is worse, and that map_to_tree() is better.
TEST(Treematch, is_better_than_chance_and_worse_than_map_to_tree) {
  const auto tree = roam::parse_machine_tree("8:2:4@100:10:1", "test");
  const CommunicationGraph graph = instances::shuffled(instances::ring(128), 2).graph();
  Mapping by_number(128);
  for (std::uint32_t v = 0; v < 128; ++v) by_number[v] = static_cast<std::int32_t>(v / 2);
  const double chance = communication_cost(graph, tree, by_number);
  const double published = communication_cost(graph, tree, treematch(graph, tree));
  EXPECT_LT(published, chance / 2);
  EXPECT_LT(communication_cost(graph, tree, map_to_tree(graph, tree)), published);
}

TEST(Treematch, refuses_trees_it_is_not_for) {
  const CommunicationGraph graph = instances::ring(8).graph();
  EXPECT_THROW((void)treematch(graph, roam::parse_machine_tree("2:3,1", "test")), roam::Error);
  EXPECT_THROW((void)treematch(graph, roam::parse_machine_tree("2:4!3", "test")), roam::Error);
  EXPECT_THROW((void)treematch_constrained(graph, roam::parse_machine_tree("2:4!3", "test")),
               roam::Error);
}

TEST(Treematch, pads_with_silent_objects) {
  const CommunicationGraph graph = instances::ring(5).graph();
  const auto tree = roam::parse_machine_tree("2:2:2", "test");
  for (const Mapping& mapping : {treematch(graph, tree), treematch_constrained(graph, tree)}) {
    EXPECT_EQ(std::set(mapping.begin(), mapping.end()).size(), 5U);
  }
}

}  // namespace

}  // namespace treematch_test
