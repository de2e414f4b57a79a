// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/plugin/registrar.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::topology {

/// A library that knows the machine on which the program runs. It registers itself if it is part of
/// the build.
struct ProbeKind {
  const char* name = "";
  const char* description = "";
  /// Returns the tree of this machine; throws Error, one line, if the library cannot tell.
  MachineTree (*probe)() = nullptr;
  /// Where on this machine each of these sets of processors is; leaves out the host. Throws Error
  /// likewise.
  std::vector<Place> (*places)(std::span<const Processors> sets) = nullptr;
};

/// The tree of this machine, with only the processing units that this process may use (control
/// groups, taskset, the launcher's binding), and with the operating system's numbers. Levels as in
/// parse_hwloc_xml(). Asks the operating system, which takes milliseconds to tenths of a second;
/// any thread, one at a time. Throws ConfigError if Roam was built without hwloc, Error if hwloc
/// fails.
[[nodiscard]] MachineTree this_machine();

/// True if this_machine() can give a tree.
[[nodiscard]] bool knows_this_machine();

}  // namespace roam::topology

namespace roam::plugin {

template <>
struct Family<topology::ProbeKind> {
  static constexpr const char* name = "topology probe";
  static constexpr std::uint32_t interface = 3;
  static constexpr std::uint64_t layout =
      layout_of<topology::ProbeKind, MachineTree, topology::Place>();
};

}  // namespace roam::plugin
