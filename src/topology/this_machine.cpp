// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/this_machine.hpp"

#include "roam/core/error.hpp"

namespace roam::topology {

bool knows_this_machine() { return !plugin::all<ProbeKind>().empty(); }

MachineTree this_machine() {
  const auto probes = plugin::all<ProbeKind>();
  if (probes.empty()) {
    throw ConfigError(
        "this Roam was built without hwloc and does not know the machine it runs on; allowed is a "
        "build with hwloc (Debian: libhwloc-dev), or a file of lstopo");
  }
  return probes.front()->probe();
}

}  // namespace roam::topology
