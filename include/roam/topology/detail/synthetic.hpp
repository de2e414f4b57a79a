// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// True if the text looks like a synthetic description: "package:2 ...", "[numa] pack:2".
[[nodiscard]] bool is_synthetic(std::string_view text);

/// Reads the tree of a regular node from hwloc's synthetic notation: "package:2 numa:1 l3:1 core:4
/// pu:2", outermost first. Names are hwloc's, in any case. Attributes in parentheses are ignored,
/// except `indexes=` of the innermost level, which gives the processors' numbers (a list, or
/// STEP*COUNT pairs). Memory in brackets, "[numa]", is attached to the level before it. Names may
/// be left out, as in "2 4 2": they are then those of MachineTree's notation. Roam reads the text
/// itself and needs no hwloc. Throws ConfigError, one line that starts with `origin`. Does not
/// block; any thread.
[[nodiscard]] MachineTree parse_synthetic(std::string_view text, std::string_view origin);

}  // namespace roam::topology
