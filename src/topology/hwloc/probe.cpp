// SPDX-License-Identifier: Apache-2.0
// What hwloc knows about this machine. It is asked about nothing else: files that a user gives are
// read by Roam itself, since hwloc stops the process at some of them and prints about others.
#include <hwloc.h>

#include <memory>
#include <string>

#include "roam/core/error.hpp"
#include "roam/topology/hwloc_xml.hpp"
#include "roam/topology/this_machine.hpp"

namespace roam::topology {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

void require_hwloc(int status, const char* what) {
  if (status != 0) throw Error(std::string("hwloc failed to ") + what);
}

/// As XML, so that one reader makes trees of this machine and of those that files describe.
MachineTree probe_by_hwloc() {
  hwloc_topology_t raw = nullptr;
  require_hwloc(hwloc_topology_init(&raw), "start");
  const std::unique_ptr<hwloc_topology, Destroy> topology(raw);
  // Without devices, which take most of the time and are not part of the tree.
  require_hwloc(hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE),
                "leave out devices");
  require_hwloc(hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE),
                "leave out instruction caches");
  require_hwloc(hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
                                                  HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING),
                "keep to the processors of this process");
  require_hwloc(hwloc_topology_load(raw), "look at this machine");
  char* xml = nullptr;
  int length = 0;
  require_hwloc(hwloc_topology_export_xmlbuffer(raw, &xml, &length, 0), "describe this machine");
  const std::string text(xml, length > 0 ? static_cast<std::size_t>(length) - 1 : 0);
  hwloc_free_xmlbuffer(raw, xml);
  return parse_hwloc_xml(text, "this machine");
}

const plugin::Registrar<ProbeKind> hwloc_probe({
    .name = "hwloc",
    .description = "this machine, by hwloc",
    .probe = probe_by_hwloc,
});

}  // namespace
}  // namespace roam::topology
