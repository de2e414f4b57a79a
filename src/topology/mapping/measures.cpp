// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/measures.hpp"

#include <algorithm>
#include <string>

#include "roam/core/error.hpp"

namespace roam::topology {

namespace {

std::int32_t leaf_of(std::uint32_t object, const MachineTree& tree,
                     std::span<const std::int32_t> mapping) {
  if (object >= mapping.size()) {
    throw Error("measure: object " + std::to_string(object) + " communicates, and " +
                std::to_string(mapping.size()) + " objects are mapped");
  }
  const std::int32_t leaf = mapping[object];
  if (leaf < 0 || leaf >= tree.leaves()) {
    throw Error("measure: object " + std::to_string(object) + " is on leaf " +
                std::to_string(leaf) + " of a tree with " + std::to_string(tree.leaves()));
  }
  return leaf;
}

}  // namespace

CommunicationMeasures measure(std::span<const Communication> communications,
                              const MachineTree& tree, std::span<const std::int32_t> mapping) {
  CommunicationMeasures result;
  result.amount_by_level.resize(tree.depth() + 1);
  result.messages_by_level.resize(tree.depth() + 1);
  for (const Communication& pair : communications) {
    const std::int32_t a = leaf_of(pair.a, tree, mapping);
    const std::int32_t b = leaf_of(pair.b, tree, mapping);
    const std::size_t level = tree.common_level(a, b);
    result.amount_by_level[level] += pair.amount;
    result.messages_by_level[level] += pair.messages;
    result.cost += pair.amount * tree.distance_at(level);
    result.hop_bytes += pair.amount * 2 * static_cast<double>(tree.depth() - level);
  }
  return result;
}

double communication_cost(const CommunicationGraph& graph, const MachineTree& tree,
                          std::span<const std::int32_t> mapping) {
  double twice = 0;
  for (std::uint32_t object = 0; object < graph.size(); ++object) {
    for (const auto& [other, amount] : graph.of(object)) {
      twice += amount * tree.distance(mapping[object], mapping[other]);
    }
  }
  return twice / 2;
}

std::vector<double> leaf_loads(const CommunicationGraph& graph, const MachineTree& tree,
                               std::span<const std::int32_t> mapping) {
  std::vector<double> loads(static_cast<std::size_t>(tree.leaves()));
  for (std::uint32_t object = 0; object < graph.size(); ++object) {
    loads[static_cast<std::size_t>(mapping[object])] += graph.load(object);
  }
  return loads;
}

double leaf_imbalance(const CommunicationGraph& graph, const MachineTree& tree,
                      std::span<const std::int32_t> mapping) {
  const double total = graph.total_load();
  if (total <= 0) return 0;
  const double mean = total / static_cast<double>(tree.usable_leaves().size());
  return std::ranges::max(leaf_loads(graph, tree, mapping)) / mean - 1;
}

}  // namespace roam::topology
