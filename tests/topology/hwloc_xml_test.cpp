// SPDX-License-Identifier: Apache-2.0
// XML of hwloc: every shape of node that is known to cause problems for readers, and texts that are
// no such XML.
#include "roam/topology/detail/hwloc_xml.hpp"

#include <gtest/gtest.h>

#include "reading.hpp"

namespace hwloc_xml_test {

namespace {

using roam::MachineTree;
using roam::to_text;
using roam::topology::parse_hwloc_xml;
using namespace roam::test;

std::string xml_error(const std::string& xml) {
  return config_error_of([&] { return parse_hwloc_xml(xml, "x"); });
}
std::string object_error(const std::string& objects) {
  return xml_error("<topology version=\"2.0\">\n" + objects + "\n</topology>");
}

TEST(HwlocXml, two_packages_with_threads) {
  const MachineTree tree = topology_tree("node_two_packages.xml");
  EXPECT_EQ(level_names(tree), "machine, NUMA, package, L3, core, PU");
  EXPECT_EQ(to_text(tree), "1:2:1:2:2");
  EXPECT_EQ(processor_numbers(tree), "0 4 1 5 2 6 3 7");
  EXPECT_EQ(processor_numbers(tree.ending_at(4)), "0 1 2 3");
}

TEST(HwlocXml, offline_processors_and_unequal_threads) {
  const MachineTree tree = topology_tree("node_offline.xml");
  EXPECT_EQ(to_text(tree), "1:3:1:2,1,2:1,2,1,1,1");
  EXPECT_EQ(processor_numbers(tree), "0 3 9 1 2 11");
  EXPECT_EQ(tree.usable_leaves().size(), 6U);
}

TEST(HwlocXml, what_is_not_allowed_is_barred_and_memory_may_lack_processors_or_they_memory) {
  const MachineTree tree = topology_tree("node_cpuset.xml");
  EXPECT_EQ(level_names(tree), "machine, package, NUMA, core, PU");
  EXPECT_EQ(to_text(tree), "3:1:2:1!1,4");
  EXPECT_EQ(group_names(tree, "NUMA"), "no NUMA, NUMA 1, no NUMA");
  EXPECT_EQ(processor_numbers(tree), "0 1 2 3 12 13");
}

TEST(HwlocXml, a_node_of_memory_alone_is_left_out) {
  const MachineTree tree = topology_tree("node_memory_alone.xml");
  EXPECT_EQ(to_text(tree), "2:2:2:1");
  EXPECT_EQ(group_names(tree, "NUMA"), "NUMA 0, NUMA 2");
}

TEST(HwlocXml, unequal_groups_and_no_cores) {
  const MachineTree tree = topology_tree("node_unequal.xml");
  EXPECT_EQ(level_names(tree), "machine, group, group 2, package, NUMA, L3, PU");
  EXPECT_EQ(to_text(tree), "2:2,1:2,1,1:2:1:1");
  // Packages 0 and 1 are nearer to each other than to package 2, and package 2 is nearer to them
  // than package 3.
  EXPECT_EQ(tree.common_level(0, 2), 2U);
  EXPECT_EQ(tree.common_level(0, 4), 1U);
  EXPECT_EQ(tree.common_level(0, 6), 0U);
}

TEST(HwlocXml, hybrid_cores) {
  const MachineTree tree = topology_tree("node_hybrid.xml");
  EXPECT_EQ(level_names(tree), "machine, package, NUMA, L3, L2, core, PU");
  EXPECT_EQ(to_text(tree), "1:1:1:3:1,1,4:2,2,1,1,1,1");
}

TEST(HwlocXml, numbers_with_gaps) {
  EXPECT_EQ(processor_numbers(topology_tree("node_sparse.xml")), "8 9 16 17 88 89 96 97");
}

TEST(HwlocXml, deep_and_with_devices) {
  const MachineTree tree = topology_tree("node_deep.xml");
  EXPECT_EQ(level_names(tree), "machine, NUMA, package, L3, L2, core, PU");
  EXPECT_EQ(to_text(tree), "2:2:1:2:2:1");
}

TEST(HwlocXml, groups_of_packages_are_kept) {
  const MachineTree tree = topology_tree("node_wide.xml");
  EXPECT_EQ(level_names(tree), "machine, group, package, NUMA, L3, core, PU");
  EXPECT_EQ(to_text(tree), "2:2:1:1:2:2");
  EXPECT_EQ(tree.processor(15), 39);
}

TEST(HwlocXml, two_kinds_of_memory_in_one_place_are_one_group) {
  const MachineTree tree = topology_tree("node_two_memories.xml");
  EXPECT_EQ(level_names(tree), "machine, package, NUMA, L2, core, PU");
  EXPECT_EQ(to_text(tree), "1:2:2:2:2");
  EXPECT_EQ(group_names(tree, "NUMA"), "NUMA 0 + NUMA 2, NUMA 1 + NUMA 3");
}

TEST(HwlocXml, later_and_earlier_versions) {
  EXPECT_EQ(level_names(topology_tree("node_version_3.xml")),
            "machine, package, NUMA, L3, core, PU");
  EXPECT_EQ(to_text(topology_tree("node_version_3.xml")), "1:1:2:2:1");
  EXPECT_EQ(level_names(topology_tree("node_version_1.xml")),
            "machine, package, NUMA, L3, core, PU");
  EXPECT_EQ(to_text(topology_tree("node_version_1.xml")), "2:1:2:1:1");
}

TEST(HwlocXml, what_is_no_xml_of_hwloc_has_one_clear_line) {
  EXPECT_EQ(xml_error(""), "x:1: found no <topology>; this is not a file of hwloc");
  EXPECT_EQ(xml_error("<html></html>"), "x:1: found no <topology>; this is not a file of hwloc");
  EXPECT_EQ(xml_error("word"), "x:1: found text outside of the tags; this is not XML");
  EXPECT_EQ(xml_error("<topology version=\"4.1\">"),
            "x:1: found version 4.1 of hwloc's XML, allowed are 1 to 3.x");
  EXPECT_EQ(xml_error("<topology version=\"x\">"), "x:1: found version \"x\", allowed is a number");
  EXPECT_EQ(xml_error("<topology version=\"2.0\"/>"), "x: found no PU");
  EXPECT_EQ(xml_error("<topology>\n<object type=\"Machine\">"),
            "x:2: the file ends inside <object>; it is incomplete");
  EXPECT_EQ(xml_error("<topology>\n<object type=\"Mach"),
            "x:2: the file ends inside attribute type; it is incomplete");
  EXPECT_EQ(xml_error("<topology>\n<object"), "x:2: the file ends inside a tag; it is incomplete");
  EXPECT_EQ(xml_error("<topology></object>"), "x:1: found </object>, but <topology> is open");
  EXPECT_EQ(xml_error("<topology/><topology/>"), "x:1: found a second outermost tag, <topology>");
  EXPECT_EQ(xml_error("<!DOCTYPE topology [<!ENTITY a \"b\">]><topology/>"),
            "x:1: found definitions or character data, allowed are tags as hwloc writes them");
  EXPECT_EQ(config_error_of([] { return topology_tree("truncated.xml"); }),
            "truncated.xml:8: the file ends inside a tag; it is incomplete");
}

TEST(HwlocXml, impossible_objects_have_one_clear_line) {
  EXPECT_EQ(object_error("<object/>"), "x:2: found an object without a type");
  EXPECT_EQ(object_error("<object type=\"Machine\"/>"), "x: found no PU");
  EXPECT_EQ(object_error("<object type=\"Machine\"><object type=\"PU\"/></object>"),
            "x:2: found PU \"?\", allowed is a whole number from 0");
  EXPECT_EQ(object_error("<object type=\"Machine\"><object type=\"PU\" os_index=\"-1\"/></object>"),
            "x:2: found PU \"-1\", allowed is a whole number from 0");
  EXPECT_EQ(object_error("<object type=\"Machine\">\n<object type=\"PU\" os_index=\"3\"/>\n"
                         "<object type=\"PU\" os_index=\"3\"/></object>"),
            "x:4: PU 3 stands here for the second time");
  EXPECT_EQ(object_error("<object type=\"Machine\" allowed_cpuset=\"all\"/>"),
            "x:2: allowed_cpuset: found \"all\", allowed is a set of processors as in 0x000000ff");
  EXPECT_EQ(object_error("<object type=\"Machine\"/>\n<object type=\"Machine\"/>"),
            "x:3: found a second outermost object");
  EXPECT_EQ(object_error("<object type=\"Machine\" allowed_cpuset=\"0x2\">"
                         "<object type=\"PU\" os_index=\"0\"/></object>"),
            "x: no leaf may be used, allowed is at least one that may");
  EXPECT_EQ(object_error("<object type=\"a\nb\" type=\"c\"/>"),
            "x:3: attribute type is given twice");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<object type=\"Group\">";
  EXPECT_EQ(object_error(deep), "x:2: found more than 256 tags inside each other");
}

TEST(HwlocXml, processors_of_infinite_sets_are_allowed) {
  const std::string xml =
      "<topology version=\"2.0\"><object type=\"Machine\" allowed_cpuset=\"0xf...f,0x00000002\">"
      "<object type=\"PU\" os_index=\"0\"/><object type=\"PU\" os_index=\"1\"/>"
      "<object type=\"PU\" os_index=\"32\"/></object></topology>";
  EXPECT_EQ(to_text(parse_hwloc_xml(xml, "x")), "3!0");
}

// In one file, a package may contain NUMA nodes and a NUMA node may contain packages: then the tree
// has one level less.
TEST(HwlocXml, levels_that_hold_each_other_in_turn) {
  const auto pu = [](int n) {
    return "<object type=\"PU\" os_index=\"" + std::to_string(n) + "\"/>";
  };
  const auto inside = [](const char* type, const std::string& content) {
    return std::string("<object type=\"") + type + "\">" + content + "</object>";
  };
  const std::string xml =
      "<topology>" +
      inside("Machine",
             inside("Package", inside("L3Cache", pu(0)) + inside("L3Cache", pu(1))) +
                 inside("L3Cache", inside("Package", pu(2)) + inside("Package", pu(3)))) +
      "</topology>";
  const MachineTree tree = parse_hwloc_xml(xml, "x");
  EXPECT_EQ(level_names(tree), "machine, package, PU");
  EXPECT_EQ(to_text(tree), "3:2,1,1");
}

}  // namespace

}  // namespace hwloc_xml_test
