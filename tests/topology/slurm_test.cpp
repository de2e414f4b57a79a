// SPDX-License-Identifier: Apache-2.0
// Slurm's descriptions of clusters, both forms and both kinds, and host lists.
#include "roam/topology/detail/slurm.hpp"

#include <gtest/gtest.h>

#include "reading.hpp"
#include "roam/core/detail/suggest.hpp"
#include "roam/topology/detail/hosts.hpp"

namespace slurm_test {

namespace {

using roam::MachineTree;
using roam::to_text;
using roam::topology::expand_hosts;
using roam::topology::parse_topology_conf;
using roam::topology::parse_topology_yaml;
using namespace roam::test;

std::string conf_error(const std::string& text) {
  return config_error_of([&] { return parse_topology_conf(text, "t"); });
}
std::string yaml_error(const std::string& text, const std::string& name = "") {
  return config_error_of([&] { return parse_topology_yaml(text, "t", name); });
}
std::string hosts(const std::string& text) {
  return roam::core::join_names(expand_hosts(text, "t"));
}
std::string hosts_error(const std::string& text) {
  const std::string error = config_error_of([&] { return expand_hosts(text, "t"); });
  return error.substr(0, error.find("; allowed are lists"));
}

TEST(Hosts, lists_and_ranges) {
  EXPECT_EQ(hosts("tux"), "tux");
  EXPECT_EQ(hosts("tux[0-3,12],login"), "tux0, tux1, tux2, tux3, tux12, login");
  EXPECT_EQ(hosts("n[08-11]"), "n08, n09, n10, n11");
  EXPECT_EQ(hosts("n[008-9,10]x"), "n008x, n009x, n10x");
  EXPECT_EQ(hosts("r[0-1]n[0-1]"), "r0n0, r0n1, r1n0, r1n1");
}

TEST(Hosts, what_is_no_list) {
  EXPECT_EQ(hosts_error(""), "t: host list \"\": a name is empty");
  EXPECT_EQ(hosts_error("a,,b"), "t: host list \"a,,b\": a name is empty");
  EXPECT_EQ(hosts_error("a[1"), "t: host list \"a[1\": a bracket is not closed");
  EXPECT_EQ(hosts_error("a]1"), "t: host list \"a]1\": its brackets do not match");
  EXPECT_EQ(hosts_error("a[[1]]"), "t: host list \"a[[1]]\": its brackets do not match");
  EXPECT_EQ(hosts_error("a[3-1]"), "t: host list \"a[3-1]\": the range 3-1 ends before it starts");
  EXPECT_EQ(hosts_error("a[x]"), "t: host list \"a[x]\": found \"x\" where a number should be");
  EXPECT_EQ(hosts_error("a[]"), "t: host list \"a[]\": found \"\" where a number should be");
  EXPECT_EQ(hosts_error("a[0-9999999]"),
            "t: host list \"a[0-9999999]\": it has more than 1000000 names");
  EXPECT_EQ(hosts_error("a[0-999]b[0-999]c[0-9]"),
            "t: host list \"a[0-999]b[0-999]c[0-9]\": it has more than 1000000 names");
}

TEST(TopologyConf, switches_of_different_heights) {
  const MachineTree tree = topology_tree("switches.conf");
  EXPECT_EQ(level_names(tree), "switch 3, switch 2, switch, node");
  EXPECT_EQ(to_text(tree), "2:2,1:4,5,5");
  EXPECT_EQ(group_names(tree, "switch"), "leaf0, leaf1, leaf2");
  EXPECT_EQ(group_names(tree, "switch 2"), "middle, no switch 2");
  EXPECT_EQ(tree.name(3, 8), "tux12");
  EXPECT_EQ(tree.name(3, 9), "tux08");
  EXPECT_EQ(tree.name(3, 13), "tux13");
}

TEST(TopologyConf, several_outermost_switches_meet_in_the_machine) {
  const MachineTree tree =
      parse_topology_conf("SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n2\n", "t");
  EXPECT_EQ(level_names(tree), "machine, switch, node");
  EXPECT_EQ(to_text(tree), "2:2,1");
}

TEST(TopologyConf, blocks_and_groups_of_blocks) {
  const MachineTree tree = topology_tree("blocks.conf");
  EXPECT_EQ(level_names(tree), "machine, block 2, block, node");
  EXPECT_EQ(to_text(tree), "2:2,1:4,4,3");
}

TEST(TopologyConf, every_bad_description_has_one_clear_line) {
  EXPECT_EQ(conf_error(""), "t: found neither a switch nor a block");
  EXPECT_EQ(conf_error("SwitchName=a"), "t:1: switch a has neither nodes nor switches below it");
  EXPECT_EQ(conf_error("\nSwitchName=a Nodes=n Switches=b\nSwitchName=b Nodes=m"),
            "t:2: switch a has nodes and switches below it, allowed is one kind");
  EXPECT_EQ(
      conf_error("SwitchName=a Switches=leaff0\nSwitchName=leaf0 Nodes=n"),
      "t:1: switch a has switch leaff0 below it, which is not described; did you mean leaf0?");
  EXPECT_EQ(conf_error("SwitchName=a Switches=a"), "t:1: switch a is above itself");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n\nSwitchName=b Switches=c\nSwitchName=c Switches=b"),
            "t:2: switch b is above itself");
  EXPECT_EQ(conf_error("SwitchName=a Switches=c\nSwitchName=b Switches=c\nSwitchName=c Nodes=n"),
            "t:2: switch c is below a and below b, allowed is one of them");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n\nSwitchName=a Nodes=m"),
            "t:2: switch a is described here for the second time");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n[0-3]"),
            "t:2: node n1 is in a and in b, allowed is one of them");
  EXPECT_EQ(conf_error("SwitchName=a Node=n"),
            "t:1: unknown key Node; did you mean Nodes? (topology.conf has: SwitchName, Switches, "
            "Nodes, LinkSpeed, BlockName, BlockSizes)");
  EXPECT_EQ(conf_error("SwitchName=a Nodes="), "t:1: Nodes has no value");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n nodes=m"), "t:1: nodes: given twice");
  EXPECT_EQ(conf_error("Nodes=n"), "t:1: found no SwitchName or BlockName, or both");
  EXPECT_EQ(conf_error("BlockName=a Nodes=n\nSwitchName=b Nodes=m"),
            "t:1: found switches and blocks, allowed is one kind");
  EXPECT_EQ(conf_error("BlockName=a"), "t:1: block a has no nodes");
  EXPECT_EQ(conf_error("BlockName=a Switches=b"), "t:1: a block has nodes, not switches");
  EXPECT_EQ(conf_error("BlockSizes=4,6"),
            "t:1: block sizes: found 6 after 4, allowed is a multiple of it");
  EXPECT_EQ(conf_error("BlockSizes=0"),
            "t:1: block sizes: found \"0\", allowed is a whole number from 1");
  std::string chain = "SwitchName=s0 Nodes=n\n";
  for (int i = 1; i < 40; ++i) {
    chain += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i - 1) + "\n";
  }
  EXPECT_EQ(conf_error(chain), "t:12: found more than 28 switches above each other");
}

#ifdef ROAM_TEST_YAML

TEST(TopologyYaml, the_default_or_the_one_asked_for) {
  const std::string path = topology_file("topology.yaml");
  const MachineTree fabric = topology_tree("topology.yaml");
  EXPECT_EQ(level_names(fabric), "switch 2, switch, node");
  EXPECT_EQ(to_text(fabric), "2:2,3");
  EXPECT_EQ(group_names(fabric, "node"), "node01, node02, node03, node04, node05");
  const MachineTree racks = roam::topology::read_tree(path + "#racks", "t");
  EXPECT_EQ(level_names(racks), "machine, block 2, block, node");
  EXPECT_EQ(to_text(racks), "2:2,1:2");
  EXPECT_EQ(config_error_of([&] { return roam::topology::read_tree(path + "#none", "t"); }),
            path +
                ":25: topology none is flat, which says nothing about nodes; allowed are tree "
                "and block");
  EXPECT_EQ(config_error_of([&] { return roam::topology::read_tree(path + "#other", "t"); }),
            path + ": there is no topology other; known are: fabric, racks, none");
}

TEST(TopologyYaml, every_bad_description_has_one_clear_line) {
  const std::string head = "- topology: a\n  tree:\n    switches:\n";
  EXPECT_EQ(yaml_error("a: b"), "t:1: allowed is a list of topologies");
  EXPECT_EQ(yaml_error("[]"), "t:1: found no topology");
  EXPECT_EQ(yaml_error("- x"), "t:1: allowed is a table that starts with topology: NAME");
  EXPECT_EQ(yaml_error("- tree: x"), "t:1: found no topology, which is its name");
  EXPECT_EQ(yaml_error("- topology: a"),
            "t:1: topology a is of a kind that has no tree; allowed are tree and block");
  EXPECT_EQ(yaml_error("- topology: a\n  tree: x"), "t:2: tree: allowed is a table");
  EXPECT_EQ(yaml_error("- topology: a\n  tree:\n    x: y"), "t:3: tree: found no switches");
  EXPECT_EQ(yaml_error(head + "      - nodes: n"), "t:4: found no switch, which is its name");
  EXPECT_EQ(yaml_error(head + "      - switch: s\n        node: n"),
            "t:5: node: unknown key; did you mean nodes?");
  EXPECT_EQ(yaml_error(head + "      - switch: s\n        children: s"),
            "t:4: switch s is above itself");
  EXPECT_EQ(yaml_error(head + "      - switch: s"),
            "t:4: switch s has neither nodes nor switches below it");
  EXPECT_EQ(yaml_error("- topology: [a"), "t:1: end of sequence flow not found");
  EXPECT_EQ(yaml_error("- topology: a\n  topology: b"), "t:2: topology: given twice");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "[";
  for (int i = 0; i < 100; ++i) deep += "]";
  EXPECT_EQ(yaml_error(deep), "t:1: found too many values, or too many inside each other");
  std::string bomb = "- &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = std::to_string(i - 1);
    bomb += "- &a" + std::to_string(i) + " [*a" + before + ", *a" + before + "]\n";
  }
  EXPECT_EQ(yaml_error(bomb), "t:1: found too many values, or too many inside each other");
}

#else

TEST(TopologyYaml, without_the_library_it_is_refused) {
  EXPECT_EQ(
      yaml_error("- a"),
      "t: this Roam was built without yaml-cpp and reads no YAML; allowed is topology.conf, or "
      "a build with it (Debian: libyaml-cpp-dev)");
}

#endif

}  // namespace

}  // namespace slurm_test
