// SPDX-License-Identifier: Apache-2.0
// hwloc reads the same files as Roam's own reader does: both must see the same objects around every
// processor. This is the only place where files are handed to hwloc.
#ifdef ROAM_TEST_HWLOC

#include <gtest/gtest.h>
#include <hwloc.h>

#include <filesystem>
#include <memory>
#include <set>

#include "reading.hpp"

namespace hwloc_agreement_test {

namespace {

using roam::MachineTree;
using namespace roam::test;

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

template <class Set>
Topology load(const Set& set_source) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Processors that are not allowed are part of Roam's trees, too, as barred leaves.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (set_source(raw) != 0 || hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

std::set<int> processors_of(hwloc_const_bitmap_t set) {
  std::set<int> numbers;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) numbers.insert(i);
  return numbers;
}

/// The sets of processors of all objects of a type that have any.
std::set<std::set<int>> sets_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::set<std::set<int>> sets;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr)
    if (!hwloc_bitmap_iszero(object->cpuset)) sets.insert(processors_of(object->cpuset));
  return sets;
}

/// The same sets from Roam's tree, without groups that stand for a missing object.
std::set<std::set<int>> sets_of(const MachineTree& tree, const std::string& name) {
  std::set<std::set<int>> sets;
  const auto level = tree.level_named(name);
  for (std::int32_t group = 0; level && group < tree.groups(*level); ++group) {
    if (tree.name(*level, group).starts_with("no ")) continue;
    std::set<int> numbers;
    const roam::TreeRange leaves = tree.leaves_of(*level, group);
    for (std::int32_t leaf = leaves.first; leaf < leaves.last; ++leaf)
      numbers.insert(tree.processor(leaf).value());
    sets.insert(numbers);
  }
  return sets;
}

void expect_agreement(hwloc_topology_t topology, const MachineTree& tree, const std::string& what) {
  const std::pair<hwloc_obj_type_t, const char*> types[] = {
      {HWLOC_OBJ_PACKAGE, "package"}, {HWLOC_OBJ_NUMANODE, "NUMA"}, {HWLOC_OBJ_L3CACHE, "L3"},
      {HWLOC_OBJ_CORE, "core"},       {HWLOC_OBJ_PU, "PU"},
  };
  for (const auto& [type, name] : types)
    EXPECT_EQ(sets_of(tree, name), sets_of(topology, type)) << what << ", " << name;
  // Leaves in hwloc's logical order.
  hwloc_obj_t object = nullptr;
  for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, object);
    ASSERT_NE(object, nullptr) << what;
    EXPECT_EQ(tree.processor(leaf), static_cast<int>(object->os_index)) << what;
    EXPECT_EQ(tree.is_usable(leaf), hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(topology),
                                                       object->os_index) != 0)
        << what;
  }
}

TEST(HwlocAgreement, on_every_file_that_hwloc_reads) {
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(topology_file(""))) {
    const std::string name = entry.path().filename().string();
    // Files that are wrong, or of versions that this hwloc may not know, are left out.
    if (!name.starts_with("node_") || name.starts_with("node_version")) continue;
    const Topology topology = load(
        [&](hwloc_topology_t raw) { return hwloc_topology_set_xml(raw, entry.path().c_str()); });
    ASSERT_NE(topology, nullptr) << name;
    expect_agreement(topology.get(), topology_tree(name), name);
    ++read;
  }
  EXPECT_GE(read, 10);
}

TEST(HwlocAgreement, on_synthetic_nodes) {
  for (const char* text :
       {"package:2 [numa] l3:2 core:3 pu:2", "[numa] pack:2 core:4 pu:2(indexes=2*8:1*2)",
        "[numa] pack:3 l3:1 l2:2 core:1 pu:1",
        "pack:2 [numa] [numa] core:1 pu:2(indexes=0,2,1,3)"}) {
    const Topology topology =
        load([&](hwloc_topology_t raw) { return hwloc_topology_set_synthetic(raw, text); });
    ASSERT_NE(topology, nullptr) << text;
    expect_agreement(topology.get(), roam::topology::read_tree(text, "t"), text);
  }
}

}  // namespace

#endif

}  // namespace hwloc_agreement_test
