// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// The tree in which each leaf of `outer` (a node of a cluster) is a machine like `inner`: the
/// levels of `outer`, then those of `inner` without its root. Leaves below a barred one are barred.
/// Either both have distances or neither. Where the leaves of `outer` are called "core", as in
/// MachineTree's notation, they and the levels above them are called "node", "switch", ... instead.
/// Throws ConfigError that starts with `origin` if the two have a level of the same name, distances
/// do not fit, or there would be more than max_tree_leaves leaves. Blocks nowhere; any thread.
[[nodiscard]] MachineTree join(const MachineTree& outer, const MachineTree& inner,
                               std::string_view origin);

}  // namespace roam::topology
