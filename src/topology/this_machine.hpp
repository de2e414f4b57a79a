// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/plugin/registrar.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::topology {

/// A library that knows the machine on which the program runs. One that is built in registers
/// itself.
struct ProbeKind {
  const char* name = "";
  const char* description = "";
  /// The tree of this machine; throws Error, one line, if the library cannot say.
  MachineTree (*probe)() = nullptr;
  /// Where on this machine the calling thread runs, or all threads of the process together; leaves
  /// out the host. Throws Error likewise.
  Place (*place)(bool of_thread) = nullptr;
};

/// The tree of this machine, of the processing units alone that this process may use (control
/// groups, taskset, the launcher's binding), with the operating system's numbers. Levels as in
/// parse_hwloc_xml(). Asks the operating system, which takes milliseconds to tenths of a second;
/// any thread, one at a time. Throws ConfigError where Roam was built without hwloc, Error where
/// hwloc fails.
[[nodiscard]] MachineTree this_machine();

/// True if this_machine() can answer.
[[nodiscard]] bool knows_this_machine();

}  // namespace roam::topology

namespace roam::plugin {

template <>
struct Family<topology::ProbeKind> {
  static constexpr const char* name = "topology probe";
  static constexpr std::uint32_t interface = 2;
  static constexpr std::uint64_t layout =
      layout_of<topology::ProbeKind, MachineTree, topology::Place>();
};

}  // namespace roam::plugin
