// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/map_to_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "roam/core/error.hpp"
#include "support/communication_instances.hpp"

namespace map_to_tree_test {

namespace {

using namespace roam::topology;
using instances::Instance;

struct Optimum {
  const char* name;
  Instance instance;
  const char* tree;
  double imbalance;
  double cost;
};

class KnownOptima : public testing::TestWithParam<int> {};

const std::vector<Optimum>& optima() {
  static const std::vector<Optimum> all{
      {"ring64", instances::ring(64), "8:2:4@100:10:1", 0, 10752},
      {"ring128", instances::ring(128), "8:2:4@100:10:1", 0, 11008},
      {"ring256", instances::ring(256), "8:2:4@100:10:1", 0, 11136},
      {"torus4", instances::torus(4), "8:2:4@100:10:1", 0, 9984},
      {"torus8", instances::torus(8), "8:2:4@100:10:1", 0, 39936},
      {"leanmd4", instances::leanmd(4), "8:2:4@100:10:1", 0.01, 1943 * 64},
      {"leanmd8", instances::leanmd(8), "64:2:4@100:10:1", 0.01, 1943 * 512}};
  return all;
}

TEST_P(KnownOptima, are_reached_from_any_numbering) {
  const Optimum& optimum = optima()[static_cast<std::size_t>(GetParam())];
  const auto tree = roam::parse_machine_tree(optimum.tree, "test");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const CommunicationGraph graph = instances::shuffled(optimum.instance, seed).graph();
    const Mapping mapping = map_to_tree(graph, tree, {.imbalance = optimum.imbalance});
    EXPECT_EQ(communication_cost(graph, tree, mapping), optimum.cost)
        << optimum.name << ", seed " << seed;
    EXPECT_LE(leaf_imbalance(graph, tree, mapping), optimum.imbalance + 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Topology, KnownOptima, testing::Range(0, 7),
                         [](const auto& optimum) -> std::string {
                           return optima()[static_cast<std::size_t>(optimum.param)].name;
                         });

TEST(MapToTree, keeps_the_limit_with_loads_of_all_sizes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    roam::core::Random random(seed);
    const auto objects = static_cast<std::uint32_t>(200 + random.below(800));
    std::vector<Communication> communications;
    for (std::uint32_t i = 0; i < 4 * objects; ++i) {
      communications.push_back({static_cast<std::uint32_t>(random.below(objects)),
                                static_cast<std::uint32_t>(random.below(objects)), random.unit()});
    }
    std::vector<double> loads(objects);
    for (double& load : loads) load = random.below(10) == 0 ? 5 * random.unit() : random.unit();
    const CommunicationGraph graph(objects, communications, loads);
    const auto tree = roam::parse_machine_tree("2:3,1:4@100:10:1!2,7-8", "test");
    const Mapping mapping = map_to_tree(graph, tree, {.imbalance = 0.01});
    EXPECT_LE(leaf_imbalance(graph, tree, mapping), 0.01 + 1e-9) << "seed " << seed;
    for (const std::int32_t leaf : mapping) ASSERT_TRUE(tree.is_usable(leaf));
  }
}

TEST(MapToTree, gives_leaves_their_share) {
  const CommunicationGraph graph = instances::torus(6).graph();
  const auto tree = roam::parse_machine_tree("2:2@10:1", "test");
  const std::vector<double> capacities{3, 1, 1, 1};
  const Mapping mapping = map_to_tree(graph, tree, {.imbalance = 0, .capacities = capacities});
  EXPECT_EQ(leaf_loads(graph, tree, mapping), (std::vector<double>{108, 36, 36, 36}));
}

TEST(MapToTree, takes_what_has_no_shape) {
  const auto tree = roam::parse_machine_tree("2:2", "test");
  EXPECT_TRUE(map_to_tree(CommunicationGraph(0, {}), tree).empty());
  const Mapping apart = map_to_tree(CommunicationGraph(8, {}), tree, {.imbalance = 0});
  EXPECT_EQ(leaf_loads(CommunicationGraph(8, {}), tree, apart), (std::vector<double>{2, 2, 2, 2}));
  EXPECT_EQ(map_to_tree(CommunicationGraph(3, {}), roam::MachineTree()), (Mapping{0, 0, 0}));
  const CommunicationGraph idle(4, {}, {0, 0, 0, 0});
  EXPECT_EQ(map_to_tree(idle, tree).size(), 4U);
  const std::vector<Communication> pair{{0, 1, 1}};
  const Mapping together = map_to_tree(CommunicationGraph(2, pair), tree, {.imbalance = 0});
  EXPECT_NE(together[0], together[1]);
  EXPECT_EQ(tree.common_level(together[0], together[1]), 1U);
}

TEST(MapToTree, refuses_what_does_not_fit) {
  const auto tree = roam::parse_machine_tree("2:2", "test");
  const CommunicationGraph graph(4, {});
  EXPECT_THROW((void)map_to_tree(graph, tree, {.capacities = {1, 2}}), roam::Error);
  EXPECT_THROW((void)map_to_tree(graph, tree, {.capacities = {0, 0, 0, 0}}), roam::Error);
  EXPECT_THROW((void)map_to_tree(graph, tree, {.home = {0, 1}}), roam::Error);
}

int moved(const Mapping& mapping, const Mapping& home) {
  int count = 0;
  for (std::size_t v = 0; v < mapping.size(); ++v) count += mapping[v] != home[v];
  return count;
}

TEST(MapToTree, moves_nothing_from_what_is_the_same_under_another_name) {
  const auto tree = roam::parse_machine_tree("4:2:4@100:10:1", "test");
  const CommunicationGraph graph = instances::shuffled(instances::ring(96), 1).graph();
  const Mapping mapping = map_to_tree(graph, tree);
  Mapping home = mapping;  // nodes, packages and cores exchanged
  for (std::int32_t& leaf : home) leaf = ((leaf + 16) % 32) ^ 6;
  const auto kept = map_to_tree(graph, tree, {.home = home});
  EXPECT_EQ(communication_cost(graph, tree, kept), communication_cost(graph, tree, mapping));
  EXPECT_EQ(moved(kept, home), 0);
  EXPECT_EQ(moved(map_to_tree(graph, tree, {.home = mapping}), mapping), 0);
}

// Compares with all exchanges of equal parts of a tree 2:2:2, that is, of the two halves of nodes.
TEST(MapToTree, moves_as_few_as_any_exchange_of_alike_parts) {
  const auto tree = roam::parse_machine_tree("2:2:2@100:10:1", "test");
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    roam::core::Random random(seed);
    const CommunicationGraph graph = instances::shuffled(instances::ring(24), seed).graph();
    Mapping home(24);
    for (std::int32_t& leaf : home) leaf = static_cast<std::int32_t>(random.below(8));
    const Mapping kept = map_to_tree(graph, tree, {.home = home});
    int fewest = 24;
    for (std::uint32_t flips = 0; flips < 128; ++flips) {
      Mapping other = kept;
      for (std::int32_t& leaf : other) {
        const auto bits = static_cast<std::uint32_t>(leaf);
        const std::uint32_t top = flips & 1U;
        const std::uint32_t middle = flips >> (1 + (bits >> 2U)) & 1U;
        const std::uint32_t low = flips >> (3 + (bits >> 1U)) & 1U;
        leaf = static_cast<std::int32_t>(bits ^ (top << 2U) ^ (middle << 1U) ^ low);
      }
      ASSERT_EQ(communication_cost(graph, tree, other), communication_cost(graph, tree, kept));
      fewest = std::min(fewest, moved(other, home));
    }
    EXPECT_EQ(moved(kept, home), fewest) << "seed " << seed;
  }
}

// A ring of 56 on 8:2:4 with one core of each node barred: the optimum is known by hand.
TEST(MapToTree, keeps_to_usable_leaves) {
  const auto tree = roam::parse_machine_tree("8:2:4@100:10:1!0,9,18,27,36,45,54,63", "test");
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CommunicationGraph graph = instances::shuffled(instances::ring(56), seed).graph();
    const Mapping mapping =
        map_to_tree(graph, tree, {.imbalance = 0, .effort = MappingEffort::thorough});
    EXPECT_EQ(leaf_imbalance(graph, tree, mapping), 0);
    EXPECT_LE(communication_cost(graph, tree, mapping), 10704);
  }
}

TEST(MapToTree, is_the_same_every_time) {
  const CommunicationGraph graph = instances::shuffled(instances::leanmd(3), 1).graph();
  const auto tree = roam::parse_machine_tree("3:3:3@100:10:1", "test");
  EXPECT_EQ(map_to_tree(graph, tree), map_to_tree(graph, tree));
}

}  // namespace

}  // namespace map_to_tree_test
