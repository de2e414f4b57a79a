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
/// near each other; then the ranks of each node redistribute its objects. Nodes are the groups of
/// the level "node", if there is one, else of the innermost level.
class TreeBased final : public Strategy {
 public:
  explicit TreeBased(std::uint32_t tries) : tries_(tries) {}

  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    Placement placement = graph.rank;
    const std::vector<ObjectIndex> objects = movable_objects(graph);
    if (objects.empty() || machine.ranks == 1) return placement;
    const MachineTree tree = tree_of(machine);
    const topology::Mapping rank_of = map_ranks(graph, tree);
    for (const ObjectIndex object : objects) {
      placement[object] = rank_of[static_cast<std::size_t>(graph.rank[object])];
    }
    const std::size_t level = tree.level_named("node").value_or(tree.depth() - 1);
    std::vector<Node> nodes(static_cast<std::size_t>(tree.groups(level)));
    const auto node_of = [&](ObjectIndex object) {
      return static_cast<std::size_t>(tree.ancestor(placement[object], level));
    };
    for (const ObjectIndex object : objects) nodes[node_of(object)].objects.push_back(object);
    for (const Link& link : graph.links) {
      if (node_of(link.a) == node_of(link.b)) nodes[node_of(link.a)].links.push_back(link);
    }
    const std::vector<double> fixed = fixed_seconds(graph, machine);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      share(graph, machine, tree.leaves_of(level, static_cast<std::int32_t>(node)), nodes[node],
            fixed, placement);
    }
    return placement;
  }

 private:
  struct Node {
    std::vector<ObjectIndex> objects;
    std::vector<Link> links;
  };

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

  /// Distributes the objects of a node among its ranks, in the order of a tree of arities 2 and 3
  /// whose surplus leaves are barred at equal distances.
  void share(const LoadGraph& graph, const Machine& machine, TreeRange ranks, const Node& node,
             const std::vector<double>& fixed, Placement& placement) const {
    const std::vector<ObjectIndex>& objects = node.objects;
    if (objects.empty() || ranks.size() == 1) return;
    if (objects.size() > most_objects_of_node) {
      throw Error("strategy treematch_tree_based: " + std::to_string(objects.size()) +
                  " objects on one node; its partitions take time with the square of that, so at "
                  "most " +
                  std::to_string(most_objects_of_node) + " are allowed (take strategy topology)");
    }
    const topology::Mapping mapping =
        treematch_constrained(communication_among(node.links, objects), padded_tree(objects.size()),
                              {.tries = tries_for(objects.size())});
    std::vector<std::int32_t> cores(static_cast<std::size_t>(ranks.size()));
    std::iota(cores.begin(), cores.end(), ranks.first);
    assign_by_parts(graph, machine, cores,
                    equal_parts(in_order_of_leaves(objects, mapping), cores.size()), fixed,
                    placement);
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
