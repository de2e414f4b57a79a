// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

// The trees of clusters from Slurm's descriptions. The leaves are the nodes (level "node"), with
// their names. Levels above: "switch" for the switches that nodes are connected to, "switch 2" for
// those above them and so on; or "block" and "block 2", ... for groups of blocks. Several outermost
// switches meet in the machine. LinkSpeed is passed over. All functions block nowhere and may be
// called by any thread; they throw ConfigError "ORIGIN:LINE: what is wrong", one line, also for a
// switch that is above itself, is below two others, does not exist or has nothing below it, and for
// a node that is connected twice.

/// topology.conf: lines `SwitchName=... Switches=...|Nodes=...`, or `BlockName=... Nodes=...` and
/// `BlockSizes=...`; keys in any case, comments, lines continued by a backslash.
[[nodiscard]] MachineTree parse_topology_conf(std::string_view text, std::string_view origin);

/// topology.yaml: of its topologies the one called `name`; without a name the one that is
/// cluster_default, else the first. Of the kinds tree and block; a flat one has no tree. Needs a
/// build with yaml-cpp.
[[nodiscard]] MachineTree parse_topology_yaml(std::string_view text, std::string_view origin,
                                              std::string_view name = {});

}  // namespace roam::topology
