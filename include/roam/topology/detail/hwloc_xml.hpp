// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// The tree of a node from XML as hwloc (versions 1 to 3) and `lstopo node.xml` write it. Read by
/// Roam itself, so it needs no hwloc and takes every version, whatever hwloc there is.
///
/// The leaves are the processing units (level "PU"), with the operating system's numbers. Levels
/// are those of machine, package, NUMA, L3, core that the file has, and group, die and other caches
/// where they separate what no other level does. Instruction caches and devices are left out.
/// Objects without processing units (memory alone) are left out; where only some objects of a
/// level are missing, MachineTree's groups called "no NUMA" and the like stand for them. Processing
/// units that the file calls offline or not allowed are barred.
///
/// Throws ConfigError "ORIGIN:LINE: what is wrong", one line, for what is not such XML: incomplete,
/// of a later version, objects in impossible places, two processing units of one number, none at
/// all. Blocks nowhere; any thread.
[[nodiscard]] MachineTree parse_hwloc_xml(std::string_view xml, std::string_view origin);

}  // namespace roam::topology
