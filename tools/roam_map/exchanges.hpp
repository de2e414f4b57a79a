// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"
#include "roam/topology/detail/mapping/measures.hpp"

namespace roam_map {

/// A placement that is changed by exchanges: a rank moves to another leaf, and a rank there moves
/// to its leaf.
class Exchanges {
 public:
  /// `placement` has a usable leaf of its own for each rank. Graph and tree must outlive this.
  Exchanges(const roam::topology::CommunicationGraph& graph, const roam::MachineTree& tree,
            roam::topology::Mapping placement);

  /// Moves each rank in turn to the leaf that saves most, until no move saves anything. Starting
  /// from a placement that is nearly good, this moves few ranks.
  void descend();
  /// Moves ranks back to their places in `home` as long as that costs nothing.
  void go_home(const roam::topology::Mapping& home);

  [[nodiscard]] const roam::topology::Mapping& placement() const { return placement_; }

 private:
  static constexpr std::int32_t nobody = -1;

  [[nodiscard]] double cost_of(std::size_t rank, std::int32_t leaf, std::int32_t partner) const;
  [[nodiscard]] double change_by(std::size_t rank, std::int32_t leaf) const;
  void exchange(std::size_t rank, std::int32_t leaf);

  const roam::topology::CommunicationGraph& graph_;
  const roam::MachineTree& tree_;
  roam::topology::Mapping placement_;
  std::vector<std::int32_t> rank_on_;  // by leaf
  double rounding_;                    // costs with a smaller difference count as equal
};

}  // namespace roam_map
