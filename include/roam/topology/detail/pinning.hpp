// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::topology {

/// The cores of a tree in hwloc's logical order: neighbours are as near to each other as they can
/// be. Cores are the groups of the level "core", the leaves where there is none; only those with a
/// leaf that may be used.
[[nodiscard]] std::vector<std::int32_t> cores_in_order(const MachineTree& tree);

/// The same cores, neighbours in the list as far apart as they can be: on the outermost level that
/// has several groups they are dealt to these in turn, and likewise inside each group. Groups that
/// have no cores left are passed over.
[[nodiscard]] std::vector<std::int32_t> cores_far_apart(const MachineTree& tree);

/// Processors for workers, the first of each core in the order of `cores`, then the second of each
/// that has one, and so on: no two of the first cores.size() share a core unless it is listed
/// twice. Processors are the operating system's numbers, or the leaves' where they are not known.
/// Throws ConfigError, one line that starts with `origin`, for a core that the tree does not have
/// or that may not be used, and for an empty list.
[[nodiscard]] Processors processors_of_cores(const MachineTree& tree,
                                             std::span<const std::int32_t> cores,
                                             std::string_view origin);

}  // namespace roam::topology
