// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// True if the text looks like a synthetic description: "package:2 ...", "[numa] pack:2".
[[nodiscard]] bool is_synthetic(std::string_view text);

/// The tree of a regular node from hwloc's synthetic notation: "package:2 numa:1 l3:1 core:4 pu:2",
/// outermost first, with hwloc's names in any case and its attributes in parentheses, which are
/// passed over but for `indexes=` of the innermost level, the processors' numbers (a list, or
/// STEP*COUNT pairs). Memory in brackets, "[numa]", is attached to what stands before it. Names may
/// be left out, as in "2 4 2": they are then those of MachineTree's notation. Roam reads it itself
/// and needs no hwloc. Throws ConfigError, one line that starts with `origin`. Blocks nowhere; any
/// thread.
[[nodiscard]] MachineTree parse_synthetic(std::string_view text, std::string_view origin);

}  // namespace roam::topology
