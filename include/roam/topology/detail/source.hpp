// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// Reads the tree of a machine from any source:
///   here                         this machine (this_machine())
///   8:2:4@100:10:1               MachineTree's notation (parse_machine_tree())
///   "package:2 core:4 pu:2"      hwloc's synthetic notation (parse_synthetic())
///   ranks=64,workers=1           a simulated machine inline (parse_inline_machine())
///   FILE                         by its contents: XML of hwloc, topology.conf or topology.yaml of
///                                Slurm, the description of a simulated machine (TOML), or one of
///                                the notations in its first line
///   FILE#NAME                    the topology NAME of a topology.yaml
///   OUTER+INNER                  the first of any kind, with the second in place of each leaf
///                                (join()): topology.conf+node.xml, 16+here
/// A file whose name contains '+', '#' or '=' is found if it exists under the whole name. Blocks
/// while it reads; any thread. Throws ConfigError, one line that starts with the file or with
/// `origin`; Error where this machine cannot be asked.
[[nodiscard]] MachineTree read_tree(const std::string& text, const std::string& origin);

/// A file's tree by its contents alone; `name` as in parse_topology_yaml(). Throws ConfigError that
/// starts with `origin`, which stands for the file's name.
[[nodiscard]] MachineTree parse_tree(std::string_view text, const std::string& origin,
                                     std::string_view name = {});

}  // namespace roam::topology
