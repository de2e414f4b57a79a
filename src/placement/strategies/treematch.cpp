// SPDX-License-Identifier: Apache-2.0
// The two balancers of Jeannot et al. 2013 (section V, algorithms 2 and 3), for comparison: the
// strategy topology is better and faster.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>

#include "by_parts.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/parted.hpp"
#include "roam/placement/strategy.hpp"
#include "roam/topology/detail/mapping/treematch.hpp"

namespace roam::placement {
namespace {

// The time of a greedy partition grows with the square of the number of objects; this limits the
// pairs looked at for all objects of one node.
constexpr double most_visits = 4e7;
constexpr std::size_t most_objects_of_node = 20'000;

/// The objects in the order of the leaves that they were mapped to, at most one on each.
std::vector<ObjectIndex> in_order_of_leaves(std::span<const ObjectIndex> objects,
                                            const topology::Mapping& mapping) {
  std::vector<std::size_t> order(objects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return mapping[k]; });
  std::vector<ObjectIndex> result(objects.size());
  std::ranges::transform(order, result.begin(), [&](std::size_t k) { return objects[k]; });
  return result;
}

/// Bytes between the objects of a list; links of others do not count.
topology::CommunicationGraph communication_among(std::span<const Link> links,
                                                 std::span<const ObjectIndex> objects) {
  std::unordered_map<ObjectIndex, std::uint32_t> number;
  for (const ObjectIndex object : objects) {
    number.emplace(object, static_cast<std::uint32_t>(number.size()));
  }
  std::vector<topology::Communication> communications;
  for (const Link& link : links) {
    const auto a = number.find(link.a);
    const auto b = number.find(link.b);
    if (a == number.end() || b == number.end()) continue;
    communications.push_back({a->second, b->second, link.bytes});
  }
  return topology::CommunicationGraph(static_cast<std::uint32_t>(objects.size()), communications);
}

/// The tree whose arities are the prime factors of its number of leaves, the smallest first.
MachineTree prime_tree(std::size_t leaves) {
  std::string text;
  for (std::size_t factor = 2; leaves > 1;) {
    if (factor * factor > leaves) factor = leaves;
    if (leaves % factor != 0) {
      ++factor;
      continue;
    }
    text += (text.empty() ? "" : ":") + std::to_string(factor);
    leaves /= factor;
  }
  return parse_machine_tree(text.empty() ? "1" : text, "treematch");
}

std::vector<ObjectIndex> movable_objects(const LoadGraph& graph) {
  std::vector<ObjectIndex> objects;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!graph.is_pinned(i)) objects.push_back(static_cast<ObjectIndex>(i));
  }
  return objects;
}

/// Algorithm 2: maps the objects to a tree with a leaf for each, and cuts their order into one part
/// for each rank.
class MinWeight final : public Strategy {
 public:
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    Placement placement = graph.rank;
    const std::vector<ObjectIndex> objects = movable_objects(graph);
    if (objects.empty() || machine.ranks == 1) return placement;
    const topology::Mapping mapping =
        treematch(communication_among(graph.links, objects), prime_tree(objects.size()));
    const auto ranks = static_cast<std::size_t>(machine.ranks);
    std::vector<std::int32_t> cores(ranks);
    std::iota(cores.begin(), cores.end(), 0);
    assign_by_parts(graph, machine, cores, equal_parts(in_order_of_leaves(objects, mapping), ranks),
                    fixed_seconds(graph, machine), placement);
    keep_at_home(graph, machine, placement);
    return placement;
  }
};

/// Algorithm 3: first moves all objects of a rank as a whole, so that ranks that communicate are
/// near each other; then, for each node by itself, distributes its objects among its ranks. Nodes
/// are the groups of the level "node", if there is one, else of the innermost level.
class TreeBased final : public PartedStrategy {
 public:
  explicit TreeBased(std::uint32_t tries) : tries_(tries) {}

  [[nodiscard]] DividedDecision divide(const LoadGraph& graph,
                                       const Machine& machine) const override {
    DividedDecision divided;
    divided.placement = graph.rank;
    const std::vector<ObjectIndex> objects = movable_objects(graph);
    if (objects.empty() || machine.ranks == 1) return divided;
    const MachineTree tree = tree_of(machine);
    const topology::Mapping rank_of = map_ranks(graph, tree);
    for (const ObjectIndex object : objects) {
      divided.placement[object] = rank_of[static_cast<std::size_t>(graph.rank[object])];
    }
    const std::size_t level = tree.level_named("node").value_or(tree.depth() - 1);
    divided.parts = nodes_of(graph, machine, divided.placement, tree, level);
    return divided;
  }

  /// Distributes the objects of a node in the order of a tree of arities 2 and 3 whose surplus
  /// leaves are barred at equal distances.
  [[nodiscard]] Placement place_part(const LoadGraph& graph,
                                     const Machine& machine) const override {
    if (graph.size() > most_objects_of_node) {
      throw Error("strategy treematch_tree_based: " + std::to_string(graph.size()) +
                  " objects on one node; its partitions take time with the square of that, so at "
                  "most " +
                  std::to_string(most_objects_of_node) + " are allowed (take strategy topology)");
    }
    const std::vector<ObjectIndex> objects = movable_objects(graph);
    const topology::Mapping mapping =
        treematch_constrained(communication_among(graph.links, objects), padded_tree(graph.size()),
                              {.tries = tries_for(graph.size())});
    std::vector<std::int32_t> cores(static_cast<std::size_t>(machine.ranks));
    std::iota(cores.begin(), cores.end(), 0);
    Placement placement = graph.rank;
    assign_by_parts(graph, machine, cores,
                    equal_parts(in_order_of_leaves(objects, mapping), cores.size()),
                    fixed_seconds(graph, machine), placement);
    return placement;
  }

 private:
  [[nodiscard]] std::uint32_t tries_for(std::size_t objects) const {
    const double affordable = most_visits / (static_cast<double>(objects * objects) + 1);
    return static_cast<std::uint32_t>(std::clamp(affordable, 1.0, static_cast<double>(tries_)));
  }

  /// The new rank of all objects of each rank.
  [[nodiscard]] topology::Mapping map_ranks(const LoadGraph& graph, const MachineTree& tree) const {
    std::vector<topology::Communication> communications;
    for (const Link& link : graph.links) {
      communications.push_back({static_cast<std::uint32_t>(graph.rank[link.a]),
                                static_cast<std::uint32_t>(graph.rank[link.b]), link.bytes});
    }
    const auto ranks = static_cast<std::uint32_t>(tree.leaves());
    const topology::CommunicationGraph groups(ranks, communications);
    if (tree.is_regular()) return treematch(groups, tree);
    return treematch_constrained(groups, tree, {.tries = tries_for(ranks)});
  }

  /// The nodes of several ranks that have objects to distribute.
  [[nodiscard]] static std::vector<DecisionPart> nodes_of(const LoadGraph& graph,
                                                          const Machine& machine,
                                                          const Placement& placement,
                                                          const MachineTree& tree,
                                                          std::size_t level) {
    const std::vector<double> fixed = fixed_seconds(graph, machine);
    std::vector<DecisionPart> nodes(static_cast<std::size_t>(tree.groups(level)));
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      DecisionPart& node = nodes[n];
      const TreeRange ranks = tree.leaves_of(level, static_cast<std::int32_t>(n));
      node.first_rank = ranks.first;
      node.machine.ranks = ranks.size();
      node.machine.workers_per_rank = 1;
      node.machine.speeds.clear();
      for (std::int32_t rank = ranks.first; rank < ranks.last; ++rank) {
        node.machine.speeds.push_back(capacity(machine, static_cast<std::size_t>(rank)));
        node.graph.background_seconds.push_back(fixed[static_cast<std::size_t>(rank)]);
      }
    }
    const auto node_of = [&](ObjectIndex object) -> DecisionPart& {
      return nodes[static_cast<std::size_t>(tree.ancestor(placement[object], level))];
    };
    std::vector<ObjectIndex> number(graph.size());  // in its node
    for (const ObjectIndex object : movable_objects(graph)) {
      DecisionPart& node = node_of(object);
      number[object] = static_cast<ObjectIndex>(node.objects.size());
      node.objects.push_back(object);
      node.graph.seconds.push_back(graph.seconds[object]);
      node.graph.rank.push_back(placement[object] - node.first_rank);
    }
    for (const Link& link : graph.links) {
      if (graph.is_pinned(link.a) || graph.is_pinned(link.b)) continue;
      DecisionPart& node = node_of(link.a);
      if (&node != &node_of(link.b)) continue;
      node.graph.links.push_back({number[link.a], number[link.b], link.bytes, link.messages});
    }
    std::erase_if(nodes, [](const DecisionPart& node) {
      return node.objects.empty() || node.machine.ranks == 1;
    });
    return nodes;
  }

  [[nodiscard]] static MachineTree padded_tree(std::size_t objects) {
    std::size_t leaves = objects;
    const auto has_other_factors = [](std::size_t n) {
      while (n % 2 == 0) n /= 2;
      while (n % 3 == 0) n /= 3;
      return n > 1;
    };
    while (has_other_factors(leaves)) ++leaves;
    const std::size_t barred = leaves - objects;
    std::vector<std::int32_t> usable;
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      if ((leaf + 1) * barred / leaves == leaf * barred / leaves) {
        usable.push_back(static_cast<std::int32_t>(leaf));
      }
    }
    return prime_tree(leaves).with_usable(usable);
  }

  const std::uint32_t tries_;
};

const StrategyRegistrar min_weight_registrar{
    {.name = "treematch_min_weight",
     .description = "as published: TreeMatch's order cut into parts, then balanced (algorithm 2)",
     .parameters = {},
     .create = [](const plugin::Parameters&) -> std::unique_ptr<Strategy> {
       return std::make_unique<MinWeight>();
     },
     .seconds_per_object = 5e-6,
     .uses_links = true,
     .gains_by_communication = true}};

const StrategyRegistrar tree_based_registrar{
    {.name = "treematch_tree_based",
     .description = "as published: ranks by TreeMatch, then objects inside nodes (algorithm 3)",
     .parameters = {{"tries", "greedy partitions to choose each cut from; the authors' is 1000",
                     "100", 1, 1e6, true}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<TreeBased>(static_cast<std::uint32_t>(parameters.integer("tries")));
     },
     .seconds_per_object = 50e-6,
     .uses_links = true,
     .gains_by_communication = true}};

}  // namespace
}  // namespace roam::placement
