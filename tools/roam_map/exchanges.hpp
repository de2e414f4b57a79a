// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/mapping/measures.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam_map {

/// A placement that changes by exchanges: a rank takes another leaf, and who is there takes its.
class Exchanges {
 public:
  /// `placement` has a usable leaf of its own for each rank. Graph and tree must outlive this.
  Exchanges(const roam::topology::TalkGraph& graph, const roam::MachineTree& tree,
            roam::topology::Mapping placement);

  /// Gives each rank in turn the leaf that saves most, until none saves anything. From a placement
  /// that is nearly good, this moves few ranks.
  void descend();
  /// Puts ranks back to where they were in `home` as long as that costs nothing.
  void go_home(const roam::topology::Mapping& home);

  [[nodiscard]] const roam::topology::Mapping& placement() const { return placement_; }

 private:
  static constexpr std::int32_t nobody = -1;

  [[nodiscard]] double cost_of(std::size_t rank, std::int32_t leaf, std::int32_t partner) const;
  [[nodiscard]] double change_by(std::size_t rank, std::int32_t leaf) const;
  void exchange(std::size_t rank, std::int32_t leaf);

  const roam::topology::TalkGraph& graph_;
  const roam::MachineTree& tree_;
  roam::topology::Mapping placement_;
  std::vector<std::int32_t> rank_on_;  // by leaf
  double rounding_;                    // costs that differ by less are the same
};

}  // namespace roam_map
