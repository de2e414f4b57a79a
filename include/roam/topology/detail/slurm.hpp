// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

// The trees of clusters, from Slurm's descriptions. The leaves are the nodes (level "node"), with
// their names. The levels above are "switch" for the switches that nodes are connected to, "switch
// 2" for those above them, and so on; or "block" and "block 2", ... for groups of blocks. If there
// are several outermost switches, they meet in the machine. LinkSpeed is ignored. No function
// blocks, and all may be called by any thread. They throw ConfigError "ORIGIN:LINE: what is wrong",
// one line, also if a switch is above itself, is below two others, does not exist or has nothing
// below it, and if a node is connected twice.

/// Reads topology.conf: lines `SwitchName=... Switches=...|Nodes=...`, or `BlockName=... Nodes=...`
/// and `BlockSizes=...`. Keys may be in any case; there may be comments, and lines continued by a
/// backslash.
[[nodiscard]] MachineTree parse_topology_conf(std::string_view text, std::string_view origin);

/// Reads from topology.yaml the topology called `name`; without a name, the one that is
/// cluster_default, else the first. It must be of the kind tree or block; a flat one has no tree.
/// Needs a build with yaml-cpp.
[[nodiscard]] MachineTree parse_topology_yaml(std::string_view text, std::string_view origin,
                                              std::string_view name = {});

}  // namespace roam::topology
