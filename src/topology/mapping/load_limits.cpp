// SPDX-License-Identifier: Apache-2.0
#include "load_limits.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "roam/core/error.hpp"

namespace roam::topology {

double least_largest_load(std::span<const double> loads, std::size_t leaves) {
  std::vector<double> sorted(loads.begin(), loads.end());
  std::ranges::sort(sorted, std::greater{});
  if (sorted.empty()) return 0;
  double bound = std::max(sorted.front(), std::accumulate(sorted.begin(), sorted.end(), 0.0) /
                                              static_cast<double>(leaves));
  for (std::size_t j = 1; j * leaves < sorted.size(); ++j) {
    double sum = 0;
    for (std::size_t i = j * leaves - j; i <= j * leaves; ++i) sum += sorted[i];
    bound = std::max(bound, sum);
  }
  return bound;
}

std::vector<double> load_limits(const CommunicationGraph& graph, const LeafIndex& index,
                                double imbalance, std::span<const double> capacities) {
  std::vector<double> share(index.leaves(), 1.0);
  if (!capacities.empty()) {
    if (capacities.size() != index.tree_leaves()) {
      throw Error("mapping: " + std::to_string(capacities.size()) + " capacities for " +
                  std::to_string(index.tree_leaves()) + " leaves");
    }
    for (std::uint32_t leaf = 0; leaf < index.leaves(); ++leaf) {
      share[leaf] = capacities[static_cast<std::size_t>(index.tree_leaf(leaf))];
    }
  }
  const double sum = std::accumulate(share.begin(), share.end(), 0.0);
  if (!(sum > 0) || std::ranges::min(share) < 0) {
    throw Error("mapping: capacities must be 0 or more, one of them more than 0");
  }
  const bool alike = std::ranges::adjacent_find(share, std::not_equal_to{}) == share.end();
  const double least = alike ? least_largest_load(graph.loads(), index.leaves()) : 0;
  for (double& limit : share) {
    limit = std::max(least, (1 + imbalance) * graph.total_load() * limit / sum);
  }
  return share;
}

}  // namespace roam::topology
