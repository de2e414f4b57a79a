// SPDX-License-Identifier: Apache-2.0
// What hwloc knows about this machine. hwloc is used for nothing else: Roam itself reads the files
// that users give, because hwloc terminates the process for some of them and prints messages about
// others.
#include <hwloc.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/topology/detail/hwloc_xml.hpp"
#include "roam/topology/detail/this_machine.hpp"

namespace roam::topology {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

void require_hwloc(int status, const char* what) {
  if (status != 0) throw Error(std::string("hwloc failed to ") + what);
}

using Topology = std::unique_ptr<hwloc_topology, Destroy>;

/// This machine as hwloc sees it.
Topology load(unsigned long more_flags) {
  hwloc_topology_t raw = nullptr;
  require_hwloc(hwloc_topology_init(&raw), "start");
  Topology topology(raw);
  // Devices are left out, because they take most of the time and are not part of the tree.
  require_hwloc(hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE),
                "leave out devices");
  require_hwloc(hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE),
                "leave out instruction caches");
  require_hwloc(hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | more_flags),
                "keep to this machine");
  require_hwloc(hwloc_topology_load(raw), "look at this machine");
  return topology;
}

/// The tree is obtained through XML, so that one reader makes the trees of this machine and those
/// of files.
MachineTree probe_by_hwloc() {
  // Only the processors that this process may use.
  const Topology topology = load(HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  char* xml = nullptr;
  int length = 0;
  require_hwloc(hwloc_topology_export_xmlbuffer(topology.get(), &xml, &length, 0),
                "describe this machine");
  const std::string text(xml, length > 0 ? static_cast<std::size_t>(length) - 1 : 0);
  hwloc_free_xmlbuffer(topology.get(), xml);
  return parse_hwloc_xml(text, "this machine");
}

/// The only object of the type that has any of these processors; Place::unknown if there are
/// several, or none.
std::int32_t only_one(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t set) {
  hwloc_obj* const one = hwloc_get_next_obj_covering_cpuset_by_type(topology, set, type, nullptr);
  if (one == nullptr) return Place::unknown;
  if (hwloc_get_next_obj_covering_cpuset_by_type(topology, set, type, one) != nullptr)
    return Place::unknown;
  return hwloc_bitmap_first(one->complete_cpuset);
}

std::vector<Place> places_by_hwloc(std::span<const Processors> sets) {
  // All processors of the machine are needed, because the others may determine the number of a
  // package.
  const Topology topology = load(0);
  const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> set(hwloc_bitmap_alloc(),
                                                                      hwloc_bitmap_free);
  std::vector<Place> places;
  for (const Processors& processors : sets) {
    hwloc_bitmap_zero(set.get());
    for (const std::int32_t one : processors)
      require_hwloc(hwloc_bitmap_set(set.get(), static_cast<unsigned>(one)), "note a processor");
    places.push_back({.package = only_one(topology.get(), HWLOC_OBJ_PACKAGE, set.get()),
                      .numa = only_one(topology.get(), HWLOC_OBJ_NUMANODE, set.get()),
                      .l3 = only_one(topology.get(), HWLOC_OBJ_L3CACHE, set.get()),
                      .core = only_one(topology.get(), HWLOC_OBJ_CORE, set.get())});
  }
  return places;
}

const plugin::Registrar<ProbeKind> hwloc_probe({
    .name = "hwloc",
    .description = "this machine, by hwloc",
    .probe = probe_by_hwloc,
    .places = places_by_hwloc,
});

}  // namespace
}  // namespace roam::topology
