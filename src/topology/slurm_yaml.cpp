// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include "roam/core/detail/suggest.hpp"
#include "roam/topology/detail/hosts.hpp"
#include "roam/topology/detail/slurm.hpp"
#include "topology/cluster.hpp"
#include "topology/refuse.hpp"
#include "topology/yaml_document.hpp"

namespace roam::topology {

namespace {

using YamlKind = YamlValue::Kind;

[[noreturn]] void refuse_yaml(const YamlValue& value, const std::string& what) {
  refuse(value.place, (value.key.empty() ? "" : value.key + ": ") + what);
}

void require_kind(const YamlValue& value, YamlKind kind, const char* allowed) {
  if (value.kind != kind) refuse_yaml(value, std::string("allowed is ") + allowed);
}

const std::string& yaml_text(const YamlValue& value) {
  require_kind(value, YamlKind::text, "a text");
  return value.text;
}

/// Reads a switch or a block; `kind` is the key that has its name.
ClusterGroup yaml_group(const YamlValue& value, const char* kind) {
  require_kind(value, YamlKind::table, "a table with a name and what is below it");
  ClusterGroup group;
  group.place = value.place;
  for (const YamlValue& member : value.children) {
    if (member.key == kind) {
      group.name = yaml_text(member);
    } else if (member.key == "nodes") {
      group.nodes = expand_hosts(yaml_text(member), member.place);
    } else if (member.key == "children" && std::string_view(kind) == "switch") {
      group.switches = expand_hosts(yaml_text(member), member.place);
    } else {
      const std::vector<std::string> names = {kind, "nodes", "children"};
      refuse_yaml(member, "unknown key" + core::did_you_mean(member.key, names));
    }
  }
  if (group.name.empty())
    refuse_yaml(value, std::string("found no ") + kind + ", which is its name");
  return group;
}

std::vector<ClusterGroup> yaml_groups(const YamlValue& table, const char* list, const char* kind) {
  require_kind(table, YamlKind::table, "a table");
  const YamlValue* groups = table.find(list);
  if (groups == nullptr) refuse_yaml(table, std::string("found no ") + list);
  require_kind(*groups, YamlKind::list, "a list");
  std::vector<ClusterGroup> result;
  for (const YamlValue& group : groups->children) result.push_back(yaml_group(group, kind));
  return result;
}

std::vector<std::int32_t> yaml_block_sizes(const YamlValue& value) {
  if (value.kind == YamlKind::text) return read_block_sizes(value.text, value.place);
  require_kind(value, YamlKind::list, "a list of numbers");
  std::string text;
  for (const YamlValue& size : value.children) text += (text.empty() ? "" : ",") + yaml_text(size);
  return text.empty() ? std::vector<std::int32_t>{} : read_block_sizes(text, value.place);
}

/// The topology that was asked for.
const YamlValue& choose(const YamlValue& document, std::string_view name, std::string_view origin) {
  require_kind(document, YamlKind::list, "a list of topologies");
  std::vector<std::string> names;
  const YamlValue* chosen = nullptr;
  for (const YamlValue& topology : document.children) {
    require_kind(topology, YamlKind::table, "a table that starts with topology: NAME");
    const YamlValue* own_name = topology.find("topology");
    if (own_name == nullptr) refuse_yaml(topology, "found no topology, which is its name");
    names.push_back(yaml_text(*own_name));
    const YamlValue* is_default = topology.find("cluster_default");
    const bool is_wanted = name.empty() ? is_default != nullptr && yaml_text(*is_default) == "true"
                                        : own_name->text == name;
    if (is_wanted && chosen == nullptr) chosen = &topology;
  }
  if (names.empty()) refuse_yaml(document, "found no topology");
  if (chosen == nullptr && name.empty()) chosen = &document.children.front();
  if (chosen == nullptr) {
    refuse(origin,
           "there is no topology " + std::string(name) + "; known are: " + core::join_names(names));
  }
  return *chosen;
}

}  // namespace

MachineTree parse_topology_yaml(std::string_view text, std::string_view origin,
                                std::string_view name) {
  const YamlValue document = parse_yaml(text, std::string(origin));
  const YamlValue& topology = choose(document, name, origin);
  const std::string& called = topology.find("topology")->text;
  Cluster cluster;
  if (const YamlValue* tree = topology.find("tree")) {
    cluster.switches = yaml_groups(*tree, "switches", "switch");
  } else if (const YamlValue* block = topology.find("block")) {
    cluster.blocks = yaml_groups(*block, "blocks", "block");
    if (const YamlValue* sizes = block->find("block_sizes"))
      cluster.block_sizes = yaml_block_sizes(*sizes);
  } else if (topology.find("flat") != nullptr) {
    refuse_yaml(topology,
                "topology " + called +
                    " is flat, which says nothing about nodes; allowed are tree and block");
  } else {
    refuse_yaml(topology, "topology " + called +
                              " is of a kind that has no tree; allowed are tree and block");
  }
  return tree_of_cluster(cluster, topology.place);
}

}  // namespace roam::topology
