// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam_tools {

/// Describes the sources of a machine tree, for the help of options that take one.
[[nodiscard]] std::string help_on_sources();

/// The level that an option names. Throws roam::ConfigError that lists the levels from `first` on,
/// with a suggestion, if the tree has none of this name among them.
[[nodiscard]] std::size_t level_named(const roam::MachineTree& tree, const std::string& name,
                                      std::size_t first, std::string_view option);

/// Reads the leaves of ranks 0, 1, ... from a list with ranges, such as "0-3,8". Throws
/// roam::ConfigError for an invalid list and for leaves that do not exist or may not be used.
[[nodiscard]] std::vector<std::int32_t> read_leaves_of_ranks(std::string_view text,
                                                             const roam::MachineTree& tree,
                                                             std::string_view option);

}  // namespace roam_tools
