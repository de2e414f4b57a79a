// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/measures.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "roam/core/error.hpp"
#include "support/communication_instances.hpp"

namespace measures_test {

namespace {

using namespace roam::topology;

const roam::MachineTree& tree() {
  static const auto tree = roam::parse_machine_tree("8:2:4@100:10:1", "test");
  return tree;
}

Mapping in_order(std::uint32_t objects, std::uint32_t per_leaf) {
  Mapping mapping(objects);
  for (std::uint32_t i = 0; i < objects; ++i) mapping[i] = static_cast<std::int32_t>(i / per_leaf);
  return mapping;
}

TEST(CommunicationMeasures, known_optima_of_rings) {
  for (const auto& [objects, cost] : {std::pair(64U, 10752.0), {128U, 11008.0}, {256U, 11136.0}}) {
    const auto ring = instances::ring(objects);
    const Mapping mapping = in_order(objects, objects / 64);
    EXPECT_EQ(communication_cost(ring.graph(), tree(), mapping), cost);
    EXPECT_EQ(measure(ring.communications, tree(), mapping).cost, cost);
  }
}

TEST(CommunicationMeasures, levels_add_up) {
  const std::vector<Communication> communications{
      {0, 1, 3, 2}, {0, 2, 5, 1}, {1, 3, 7, 4}, {2, 3, 11, 1}};
  const Mapping mapping{0, 0, 1, 63};  // one leaf, one package, different nodes
  const CommunicationMeasures measures = measure(communications, tree(), mapping);
  EXPECT_EQ(measures.amount_by_level, (std::vector<double>{18, 0, 5, 3}));
  EXPECT_EQ(measures.messages_by_level, (std::vector<double>{5, 0, 1, 2}));
  EXPECT_EQ(measures.cost, 18 * 100 + 5 * 1);
  EXPECT_EQ(measures.hop_bytes, 18 * 6 + 5 * 2);
}

TEST(CommunicationMeasures, refuses_what_does_not_exist) {
  const std::vector<Communication> communications{{0, 1, 3}};
  EXPECT_THROW((void)measure(communications, tree(), Mapping{0}), roam::Error);
  EXPECT_THROW((void)measure(communications, tree(), Mapping{0, 64}), roam::Error);
  EXPECT_THROW((void)measure(communications, tree(), Mapping{0, -1}), roam::Error);
}

TEST(CommunicationMeasures, imbalance_counts_usable_leaves) {
  const auto barred = roam::parse_machine_tree("2:2@10:1!3", "test");
  const CommunicationGraph graph(3, {}, {2, 1, 1});
  EXPECT_EQ(leaf_loads(graph, barred, Mapping{0, 1, 1}), (std::vector<double>{2, 2, 0, 0}));
  EXPECT_NEAR(leaf_imbalance(graph, barred, Mapping{0, 1, 1}), 0.5, 1e-12);
}

TEST(CommunicationGraph, adds_up_what_a_pair_says) {
  const std::vector<Communication> communications{
      {0, 1, 3}, {1, 0, 4}, {2, 2, 9}, {1, 2, 0}, {2, 1, 1}};
  const CommunicationGraph graph(3, communications);
  ASSERT_EQ(graph.of(0).size(), 1U);
  EXPECT_EQ(graph.of(0)[0].amount, 7);
  EXPECT_EQ(graph.of(1).size(), 2U);
  EXPECT_EQ(graph.of(2).size(), 1U);
  EXPECT_EQ(graph.total_load(), 3);
}

TEST(CommunicationGraph, refuses_what_cannot_be) {
  const std::vector<Communication> far{{0, 5, 1}};
  const std::vector<Communication> negative{{0, 1, -1}};
  EXPECT_THROW(CommunicationGraph(3, far), roam::Error);
  EXPECT_THROW(CommunicationGraph(3, negative), roam::Error);
  EXPECT_THROW(CommunicationGraph(3, {}, {1, 2}), roam::Error);
  EXPECT_THROW(CommunicationGraph(3, {}, {1, 2, -3}), roam::Error);
}

}  // namespace

}  // namespace measures_test
