// SPDX-License-Identifier: Apache-2.0
// Strategies that take the places of ranks into account: topology, and the two published balancers
// on TreeMatch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "load_instances.hpp"
#include "placement/communication_time.hpp"
#include "placement/strategies/by_parts.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/strategy.hpp"
#include "roam/topology/detail/mapping/measures.hpp"

namespace roam::placement::topology_strategies_test {
namespace {

using testing::draw_instance;
using testing::Instance;

/// Nodes with 2 packages of 4 ranks; a byte costs 1 within a package, 10 within a node, 100 between
/// nodes; messages cost nothing.
Machine machine_of(std::int32_t nodes) {
  Machine machine;
  machine.ranks = 8 * nodes;
  machine.workers_per_rank = 1;
  machine.network = {NetworkLevel{.name = "package", .group_ranks = 4},
                     NetworkLevel{.name = "node", .group_ranks = 8},
                     NetworkLevel{.name = "machine"}};
  double bandwidth = 100e9;
  for (NetworkLevel& level : machine.network) {
    level.overhead_seconds = level.gap_seconds = 0;
    level.bandwidth_bytes_per_second = bandwidth;
    bandwidth /= 10;
  }
  return machine;
}

/// A ring of `objects` equal objects, each of which communicates with `neighbours` on either side,
/// placed in order over the ranks.
Instance ring(std::int32_t nodes, std::uint32_t objects, std::uint32_t neighbours) {
  Instance instance;
  instance.machine = machine_of(nodes);
  for (std::uint32_t i = 0; i < objects; ++i) {
    instance.graph.seconds.push_back(1);
    instance.graph.bytes.push_back(1000);
    instance.graph.rank.push_back(static_cast<std::int32_t>(
        i * static_cast<std::uint32_t>(instance.machine.ranks) / objects));
    for (std::uint32_t k = 1; k <= neighbours; ++k) {
      instance.graph.links.push_back({i, (i + k) % objects, 1e6, 0});
    }
  }
  return instance;
}

void shuffle(std::vector<std::int32_t>& ranks, std::uint64_t seed) {
  core::Random random(seed);
  for (std::size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[random.below(i)]);
}

Placement place(const std::string& choice, const Instance& instance) {
  return make_strategy(parse_plugin_choice(choice))->place(instance.graph, instance.machine);
}

/// Sum over links of their distance, 100, 10 or 1.
double cost(const Instance& instance, const Placement& placement) {
  std::vector<topology::Communication> communications;
  for (const Link& link : instance.graph.links)
    communications.push_back({link.a, link.b, link.bytes / 1e6});
  const MachineTree tree = tree_of(instance.machine).with_distances(std::array{100.0, 10.0, 1.0});
  return topology::measure(communications, tree, placement).cost;
}

TEST(BusyTimes, are_those_of_workers_or_of_interfaces_whichever_take_longer) {
  Instance instance;
  instance.machine = machine_of(2);
  for (NetworkLevel& level : instance.machine.network) {
    level.overhead_seconds = 0.5;
    level.gap_seconds = 0.2;
  }
  instance.machine.speeds = {2};
  instance.graph.seconds = {4, 6, 1};
  instance.graph.links = {{0, 1, 1e9, 3}, {1, 2, 4e9, 1}};
  const BusyTimes apart = busy_times(instance.graph, instance.machine, {0, 0, 8});
  // Rank 0 works 10 s at twice the speed, and has a message of 4 GB to or from another node.
  EXPECT_DOUBLE_EQ(apart.max_seconds, 5 + 0.5);
  EXPECT_DOUBLE_EQ(apart.communication_seconds, 2 * (0.5 + 0.1 + 4e9 / 2e9));
  const BusyTimes near = busy_times(instance.graph, instance.machine, {0, 4, 4});
  EXPECT_DOUBLE_EQ(near.max_seconds, 3.5 + 3 * 0.5);
  EXPECT_DOUBLE_EQ(near.communication_seconds, 2 * (3 * 0.6 + 1e9 / 20e9));
  // Ten times the bytes keep the interface busy for longer than the workers.
  instance.graph.links[1].bytes = 4e10;
  EXPECT_DOUBLE_EQ(busy_times(instance.graph, instance.machine, {0, 0, 8}).max_seconds,
                   0.1 + 4e10 / 2e9);
}

TEST(ByParts, ranks_take_their_own_largest_then_the_smallest_of_the_fullest) {
  LoadGraph graph;
  graph.seconds = {9, 1, 2, 3, 5, 1};
  graph.rank = {0, 0, 0, 0, 0, 0};
  Machine machine;
  machine.ranks = 3;
  machine.workers_per_rank = 1;
  Placement placement = graph.rank;
  const std::vector<std::int32_t> ranks = {2, 0, 1};
  const std::vector<double> work = {0, 0, 4};
  // Rank 0 (part {0}): 9. Rank 1 (part {1, 2, 3}): 3, 2, 1, then rank 2, at 4, its 5; then rank 1,
  // at 6, the smallest of what rank 2 has left.
  assign_by_parts(graph, machine, ranks, {{5, 4}, {0}, {1, 2, 3}}, work, placement);
  EXPECT_THAT(placement, ::testing::ElementsAre(0, 1, 1, 1, 2, 1));
  EXPECT_THAT(
      equal_parts(std::vector<ObjectIndex>{7, 8, 9, 1, 2}, 2),
      ::testing::ElementsAre(::testing::ElementsAre(7, 8, 9), ::testing::ElementsAre(1, 2)));
}

// 8 of the links cross nodes, 8 cross packages, 48 are inside one.
TEST(Topology, finds_the_best_placement_of_a_shuffled_ring) {
  Instance instance = ring(8, 64, 1);
  ASSERT_EQ(cost(instance, instance.graph.rank), 8 * 100 + 8 * 10 + 48);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    shuffle(instance.graph.rank, seed);
    const Placement placement = place("topology", instance);
    ASSERT_EQ(cost(instance, placement), 8 * 100 + 8 * 10 + 48) << seed;
    ASSERT_EQ(assess(instance.graph, instance.machine, placement).imbalance, 0) << seed;
  }
}

TEST(Topology, beats_what_knows_no_tree_where_several_objects_are_on_a_rank) {
  Instance instance = ring(8, 256, 3);
  const double best = cost(instance, instance.graph.rank);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    shuffle(instance.graph.rank, seed);
    const double its = cost(instance, place("topology", instance));
    EXPECT_LE(its, 1.02 * best) << seed;
    EXPECT_GT(cost(instance, place("refine_comm", instance)), 2 * its) << seed;
  }
}

// One object on each rank, of different sizes, and work that belongs to no object: no placement is
// within the limit, but neighbours must still be brought together.
TEST(Topology, brings_single_objects_of_unequal_load_together) {
  Instance instance = ring(8, 64, 3);
  const double best = cost(instance, instance.graph.rank);
  core::Random random(7);
  for (double& seconds : instance.graph.seconds) seconds = 1e-3 * (1 + 0.06 * random.unit());
  for (int r = 0; r < 64; ++r) {
    instance.graph.background_seconds.push_back(7e-5 * (1 + 0.1 * random.unit()));
  }
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    shuffle(instance.graph.rank, seed);
    EXPECT_LE(cost(instance, place("topology", instance)), 1.02 * best) << seed;
  }
}

TEST(Topology, moves_nothing_from_the_best_placement) {
  for (const std::uint32_t objects : {64U, 256U}) {
    const Instance instance = ring(8, objects, 1);
    EXPECT_EQ(place("topology", instance), instance.graph.rank) << objects;
  }
}

/// Moves the objects so that the ranks of a node, whose objects are in order, take turns between
/// its packages.
void alternate_packages(Instance& instance) {
  for (std::int32_t& rank : instance.graph.rank) {
    const std::int32_t of_node = rank % 8;
    rank += of_node % 2 * 4 + of_node / 2 - of_node;
  }
}

// The ranks of a node share its card. Which of them communicate with other nodes then does not
// matter, although each would be done sooner if all sent equally much.
TEST(Topology, promises_no_gain_where_the_cards_of_the_nodes_are_the_limit) {
  for (const std::uint32_t objects : {64U, 128U, 256U}) {
    Instance instance = ring(8, objects, 3);
    instance.machine.network[1].uplink_bandwidth_bytes_per_second =
        instance.machine.network[2].bandwidth_bytes_per_second;
    const auto gain = [&] {
      const auto longest = [&](const Placement& placement) {
        return busy_times(instance.graph, instance.machine, placement).max_seconds;
      };
      return 1 - longest(place("topology", instance)) / longest(instance.graph.rank);
    };
    for (double& seconds : instance.graph.seconds) seconds = 1e-6;
    EXPECT_EQ(gain(), 0) << objects;
    alternate_packages(instance);
    EXPECT_NEAR(gain(), 0, 1e-9) << objects;
    shuffle(instance.graph.rank, 3);
    EXPECT_GT(gain(), 0.5) << objects;
  }
}

// Two packages have changed places: only one of them should move, not everything.
TEST(Topology, moves_few_objects_to_where_they_cost_as_little) {
  Instance instance = ring(2, 64, 1);
  for (std::int32_t& rank : instance.graph.rank) {
    if (rank >= 4 && rank < 12) rank ^= 12;  // 4..7 <-> 8..11
  }
  const Placement placement = place("topology", instance);
  EXPECT_EQ(cost(instance, placement), cost(ring(2, 64, 1), ring(2, 64, 1).graph.rank));
  EXPECT_LE(assess(instance.graph, instance.machine, placement).moved_objects, 32U);
}

TEST(Topology, is_plain_refinement_where_nobody_communicates) {
  Instance instance = draw_instance(3, 3000, 12);
  instance.graph.links.clear();
  EXPECT_EQ(place("topology:imbalance=0.02", instance), place("refine:imbalance=0.02", instance));
  EXPECT_EQ(place("topology", instance), place("refine", instance));  // as even by default, too
}

/// Ranks of one node in pairs, the nodes unequal.
void give_network(Instance& instance) {
  const std::int32_t ranks = instance.machine.ranks;
  NetworkLevel pair{.name = "pair"};
  NetworkLevel node{.name = "node"};
  for (std::int32_t r = 0; r < ranks; ++r) pair.parents.push_back(r / 2);
  for (std::int32_t p = 0; 2 * p < ranks; ++p) node.parents.push_back(p == 0 ? 0 : 1 + (p - 1) / 3);
  pair.bandwidth_bytes_per_second = 100e9;
  node.bandwidth_bytes_per_second = 20e9;
  instance.machine.network = {pair, node, NetworkLevel{.name = "machine"}};
  check(instance.machine, "machine");
}

TEST(Topology, keeps_its_limit_on_unequal_nodes_with_pinned_objects_and_background) {
  int less_communication = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Instance instance = draw_instance(seed, 300, 12);
    give_network(instance);
    const Placement placement = place("topology:imbalance=0.03", instance);
    ASSERT_NO_THROW(check(placement, instance.graph, instance.machine));
    const Placement refined = place("refine_comm:imbalance=0.03", instance);
    const Quality quality = assess(instance.graph, instance.machine, placement);
    const double limit = std::max(1.03 * quality.mean_seconds, quality.bound_seconds);
    const double by_refining = assess(instance.graph, instance.machine, refined).max_seconds;
    // If refining does not reach the limit, the limit is relative to what it reaches.
    const double allowed = by_refining <= limit * (1 + 1e-9) ? limit : 1.03 * by_refining;
    ASSERT_LE(quality.max_seconds, allowed * (1 + 1e-8));
    const double communication =
        busy_times(instance.graph, instance.machine, placement).communication_seconds;
    less_communication +=
        communication < busy_times(instance.graph, instance.machine, refined).communication_seconds
            ? 1
            : 0;
  }
  EXPECT_GT(less_communication, 65);
}

TEST(Treematch, min_weight_balances_and_keeps_most_of_a_ring_together) {
  Instance instance = ring(2, 64, 1);
  // The first of each rank's four objects is larger than all others.
  for (std::size_t i = 0; i < 64; i += 4) instance.graph.seconds[i] = 1.5;
  const Placement in_order = instance.graph.rank;
  shuffle(instance.graph.rank, 5);
  const Placement placement = place("treematch_min_weight", instance);
  EXPECT_EQ(assess(instance.graph, instance.machine, placement).imbalance, 0);
  EXPECT_LT(cost(instance, placement), 0.6 * cost(instance, instance.graph.rank));
  // Groups are placed where most of their objects are: the algorithm's order of the ring begins
  // elsewhere, so half of them move.
  instance.graph.rank = in_order;
  const Placement from_order = place("treematch_min_weight", instance);
  EXPECT_LE(assess(instance.graph, instance.machine, from_order).moved_objects, 32U);
}

TEST(Treematch, tree_based_moves_ranks_as_a_whole_then_balances_inside_nodes) {
  Instance instance = ring(4, 128, 1);
  std::vector<std::int32_t> to(32);
  std::iota(to.begin(), to.end(), 0);
  shuffle(to, 11);
  const std::vector<std::int32_t> in_order = instance.graph.rank;
  for (std::int32_t& rank : instance.graph.rank) rank = to[static_cast<std::size_t>(rank)];
  // A node's work is uneven among its ranks.
  for (std::size_t i = 0; i < 128; ++i) instance.graph.seconds[i] = i % 32 < 4 ? 3 : 1;
  const Placement placement = place("treematch_tree_based", instance);
  const auto node = [](std::int32_t rank) { return rank / 8; };
  // The objects of one rank are on one node. There the longest rank had 12 s of 40.
  for (std::size_t i = 0; i < 128; ++i) {
    ASSERT_EQ(node(placement[i]), node(placement[i / 4 * 4])) << i;
  }
  EXPECT_LT(cost(instance, placement), 0.5 * cost(instance, instance.graph.rank));
  EXPECT_LE(assess(instance.graph, instance.machine, placement).max_seconds, 7);
}

TEST(Treematch, tree_based_refuses_nodes_that_would_take_all_day) {
  Instance instance = ring(1, 20'001, 1);
  try {
    static_cast<void>(place("treematch_tree_based", instance));
    FAIL() << "placed";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("20001 objects on one node"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("take strategy topology"));
  }
}

}  // namespace
}  // namespace roam::placement::topology_strategies_test
