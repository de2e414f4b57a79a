// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// The tree in which each leaf of `outer` (a node of a cluster) is replaced by a machine like
/// `inner`: it has the levels of `outer`, then those of `inner` without its root. Leaves below a
/// barred one are barred. Either both trees have distances or neither has. If the leaves of `outer`
/// are called "core", as in MachineTree's notation, they and the levels above them are renamed to
/// "node", "switch", ... Throws ConfigError that starts with `origin` if both trees have a level of
/// the same name, their distances do not fit, or there would be more than max_tree_leaves leaves.
/// Does not block; any thread.
[[nodiscard]] MachineTree join(const MachineTree& outer, const MachineTree& inner,
                               std::string_view origin);

}  // namespace roam::topology
