// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// Reads the tree of a node from XML as hwloc (versions 1 to 3) and `lstopo node.xml` write it.
/// Roam reads the XML itself, so that it needs no hwloc and accepts all these versions, whichever
/// hwloc is installed.
///
/// The leaves are the processing units (level "PU"), with the operating system's numbers. The
/// levels are machine, package, NUMA, L3 and core as far as the file has them, and group, die and
/// other caches if they separate leaves that no other level separates. Instruction caches, devices
/// and objects without processing units (memory alone) are left out. If only some objects of a
/// level are missing, groups named "no NUMA" and the like stand for them in the MachineTree.
/// Processing units that the file calls offline or not allowed are barred.
///
/// Throws ConfigError "ORIGIN:LINE: what is wrong", one line, if the text is not such XML: it is
/// incomplete, of a later version, has objects in impossible places, two processing units with the
/// same number, or none at all. Does not block; any thread.
[[nodiscard]] MachineTree parse_hwloc_xml(std::string_view xml, std::string_view origin);

}  // namespace roam::topology
