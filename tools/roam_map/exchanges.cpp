// SPDX-License-Identifier: Apache-2.0
#include "exchanges.hpp"

#include <utility>

namespace roam_map {

using roam::topology::Mapping;

Exchanges::Exchanges(const roam::topology::CommunicationGraph& graph, const roam::MachineTree& tree,
                     Mapping placement)
    : graph_(graph),
      tree_(tree),
      placement_(std::move(placement)),
      rank_on_(static_cast<std::size_t>(tree.leaves()), nobody),
      rounding_(1e-12 * roam::topology::communication_cost(graph, tree, placement_)) {
  for (std::size_t rank = 0; rank < placement_.size(); ++rank)
    rank_on_[static_cast<std::size_t>(placement_[rank])] = static_cast<std::int32_t>(rank);
}

/// The cost of a rank on a leaf of its communication with all ranks but `partner`, from which an
/// exchange does not change its distance.
double Exchanges::cost_of(std::size_t rank, std::int32_t leaf, std::int32_t partner) const {
  double cost = 0;
  for (const auto& other : graph_.of(static_cast<std::uint32_t>(rank))) {
    if (static_cast<std::int32_t>(other.object) != partner)
      cost += other.amount * tree_.distance(leaf, placement_[other.object]);
  }
  return cost;
}

double Exchanges::change_by(std::size_t rank, std::int32_t leaf) const {
  const std::int32_t from = placement_[rank];
  const std::int32_t partner = rank_on_[static_cast<std::size_t>(leaf)];
  double change = cost_of(rank, leaf, partner) - cost_of(rank, from, partner);
  if (partner != nobody) {
    const auto other = static_cast<std::size_t>(partner);
    const auto self = static_cast<std::int32_t>(rank);
    change += cost_of(other, from, self) - cost_of(other, leaf, self);
  }
  return change;
}

void Exchanges::exchange(std::size_t rank, std::int32_t leaf) {
  const std::int32_t from = placement_[rank];
  const std::int32_t partner = rank_on_[static_cast<std::size_t>(leaf)];
  if (partner != nobody) placement_[static_cast<std::size_t>(partner)] = from;
  rank_on_[static_cast<std::size_t>(from)] = partner;
  rank_on_[static_cast<std::size_t>(leaf)] = static_cast<std::int32_t>(rank);
  placement_[rank] = leaf;
}

void Exchanges::descend() {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t rank = 0; rank < placement_.size(); ++rank) {
      std::int32_t best = placement_[rank];
      double least = -rounding_;
      for (const std::int32_t leaf : tree_.usable_leaves()) {
        if (leaf == placement_[rank]) continue;
        const double change = change_by(rank, leaf);
        if (change >= least) continue;
        least = change;
        best = leaf;
      }
      if (best == placement_[rank]) continue;
      exchange(rank, best);
      has_changed = true;
    }
  }
}

void Exchanges::go_home(const Mapping& home) {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t rank = 0; rank < placement_.size(); ++rank) {
      if (placement_[rank] == home[rank] || change_by(rank, home[rank]) > rounding_) continue;
      exchange(rank, home[rank]);
      has_changed = true;
    }
  }
}

}  // namespace roam_map
