// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// A switch, or a block, of a description, as read.
struct ClusterGroup {
  std::string name;
  std::vector<std::string> nodes = {};
  std::vector<std::string> switches = {};
  std::string place = {};  ///< "FILE:LINE", for messages
};

/// What both forms of Slurm's description say; either switches or blocks.
struct Cluster {
  std::vector<ClusterGroup> switches = {};
  std::vector<ClusterGroup> blocks = {};
  /// Nodes in a block, then in groups of blocks; empty: blocks alone.
  std::vector<std::int32_t> block_sizes = {};
};

/// See slurm.hpp.
[[nodiscard]] MachineTree tree_of_cluster(const Cluster& cluster, std::string_view origin);

/// The numbers of "4,16".
[[nodiscard]] std::vector<std::int32_t> read_block_sizes(std::string_view text,
                                                         const std::string& place);

}  // namespace roam::topology
