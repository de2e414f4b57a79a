// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// A switch, or a block, as it is described.
struct ClusterGroup {
  std::string name;
  std::vector<std::string> nodes = {};
  std::vector<std::string> switches = {};
  std::string place = {};  ///< "FILE:LINE", for messages
};

/// The contents of either form of Slurm's description: switches or blocks.
struct Cluster {
  std::vector<ClusterGroup> switches = {};
  std::vector<ClusterGroup> blocks = {};
  /// The number of nodes in a block, then in groups of blocks; empty: there are no groups of
  /// blocks.
  std::vector<std::int32_t> block_sizes = {};
};

/// The tree of a cluster; see slurm.hpp.
[[nodiscard]] MachineTree tree_of_cluster(const Cluster& cluster, std::string_view origin);

/// Reads the numbers of a text like "4,16".
[[nodiscard]] std::vector<std::int32_t> read_block_sizes(std::string_view text,
                                                         const std::string& place);

}  // namespace roam::topology
