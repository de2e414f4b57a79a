// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster.hpp"

#include <algorithm>
#include <unordered_map>

#include "roam/core/detail/suggest.hpp"
#include "roam/core/detail/text.hpp"
#include "topology/refuse.hpp"
#include "topology/spans.hpp"

namespace roam::topology {

namespace {

constexpr LevelRule cluster_levels[] = {{"machine"}, {"switch"}, {"block"}};
constexpr int max_switches_above = 28;  // so that the tree has not too many levels

using ByName = std::unordered_map<std::string_view, std::size_t>;

ByName groups_by_name(const std::vector<ClusterGroup>& groups, const char* what) {
  ByName by_name;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto [known, is_new] = by_name.emplace(groups[i].name, i);
    if (!is_new) {
      refuse(groups[i].place,
             std::string(what) + " " + groups[i].name + " is described here for the second time");
    }
  }
  return by_name;
}

/// The leaves in the order in which they are visited; refuses a node that has been visited before.
class Nodes {
 public:
  void add(const std::vector<std::string>& names, const ClusterGroup& group) {
    for (const std::string& name : names) {
      const auto [known, is_new] = group_of_.emplace(name, &group);
      if (!is_new) {
        refuse(group.place, "node " + name + " is in " + known->second->name + " and in " +
                                group.name + ", allowed is one of them");
      }
      leaves_.push_back({.name = name});
    }
  }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(leaves_.size()); }
  [[nodiscard]] const std::vector<TreeLeaf>& leaves() const { return leaves_; }

 private:
  std::vector<TreeLeaf> leaves_;
  std::unordered_map<std::string, const ClusterGroup*> group_of_;
};

/// Walks through the switches, beginning with the outermost ones.
class SwitchWalk {
 public:
  explicit SwitchWalk(const std::vector<ClusterGroup>& switches)
      : switches_(switches), above_(switches.size(), nullptr), is_visited_(switches.size(), false) {
    const ByName by_name = groups_by_name(switches, "switch");
    for (const ClusterGroup& group : switches) {
      std::vector<std::size_t>& children = children_.emplace_back();
      for (const std::string& name : group.switches) {
        const auto child = by_name.find(name);
        if (child == by_name.end()) refuse_unknown(group, name);
        const ClusterGroup*& above = above_[child->second];
        if (above != nullptr) {
          refuse(group.place, "switch " + name + " is below " + above->name + " and below " +
                                  group.name + ", allowed is one of them");
        }
        above = &group;
        children.push_back(child->second);
      }
    }
  }

  MachineTree read(std::string_view origin) {
    for (std::size_t i = 0; i < switches_.size(); ++i)
      if (above_[i] == nullptr) visit(i, 0);
    for (std::size_t i = 0; i < switches_.size(); ++i)
      if (!is_visited_[i])
        refuse(switches_[i].place, "switch " + switches_[i].name + " is above itself");
    return tree_of_spans(std::move(spans_), nodes_.leaves(), "node", cluster_levels, origin);
  }

 private:
  [[noreturn]] void refuse_unknown(const ClusterGroup& group, const std::string& name) const {
    std::vector<std::string> names;
    for (const ClusterGroup& known : switches_) names.push_back(known.name);
    refuse(group.place, "switch " + group.name + " has switch " + name +
                            " below it, which is not described" + core::did_you_mean(name, names));
  }

  /// Visits a switch and returns its height above its nodes.
  int visit(std::size_t index, int depth) {
    const ClusterGroup& group = switches_[index];
    is_visited_[index] = true;
    if (depth == max_switches_above) {
      refuse(group.place, "found more than " + std::to_string(max_switches_above) +
                              " switches above each other");
    }
    if (group.nodes.empty() && group.switches.empty())
      refuse(group.place, "switch " + group.name + " has neither nodes nor switches below it");
    if (!group.nodes.empty() && !group.switches.empty()) {
      refuse(group.place,
             "switch " + group.name + " has nodes and switches below it, allowed is one kind");
    }
    // The span is inserted now and filled in later, because outer spans come before inner ones.
    const std::size_t own = spans_.size();
    spans_.emplace_back();
    const std::int32_t first = nodes_.size();
    int height = 1;
    for (const std::size_t child : children_[index])
      height = std::max(height, 1 + visit(child, depth + 1));
    nodes_.add(group.nodes, group);
    std::string level = height == 1 ? "switch" : "switch " + std::to_string(height);
    spans_[own] = {std::move(level), group.name, {first, nodes_.size()}};
    return height;
  }

  const std::vector<ClusterGroup>& switches_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<const ClusterGroup*> above_;
  std::vector<bool> is_visited_;
  std::vector<Span> spans_;
  Nodes nodes_;
};

/// Forms groups of consecutive blocks, for each size after the first.
void group_blocks(const Cluster& cluster, std::vector<Span>& spans) {
  const std::size_t blocks = spans.size();
  std::vector<Span> grouped;
  for (std::size_t i = cluster.block_sizes.size(); i-- > 1;) {
    const auto count = static_cast<std::size_t>(cluster.block_sizes[i] / cluster.block_sizes[0]);
    for (std::size_t first = 0; first < blocks; first += count) {
      const std::size_t last = std::min(first + count, blocks) - 1;
      grouped.push_back({"block " + std::to_string(i + 1),
                         "",
                         {spans[first].leaves.first, spans[last].leaves.last}});
    }
  }
  spans.insert(spans.begin(), grouped.begin(), grouped.end());
}

MachineTree tree_of_blocks(const Cluster& cluster, std::string_view origin) {
  (void)groups_by_name(cluster.blocks, "block");
  Nodes nodes;
  std::vector<Span> spans;
  for (const ClusterGroup& block : cluster.blocks) {
    if (block.nodes.empty()) refuse(block.place, "block " + block.name + " has no nodes");
    const std::int32_t first = nodes.size();
    nodes.add(block.nodes, block);
    spans.push_back({"block", block.name, {first, nodes.size()}});
  }
  group_blocks(cluster, spans);
  return tree_of_spans(std::move(spans), nodes.leaves(), "node", cluster_levels, origin);
}

}  // namespace

std::vector<std::int32_t> read_block_sizes(std::string_view text, const std::string& place) {
  std::vector<std::int32_t> sizes;
  for (const std::string_view entry : core::split(text, ',')) {
    const std::int32_t size = core::read_number<std::int32_t>(entry).value_or(0);
    if (size < 1) {
      refuse(place,
             "block sizes: found \"" + std::string(entry) + "\", allowed is a whole number from 1");
    }
    if (!sizes.empty() && (size <= sizes.back() || size % sizes.back() != 0)) {
      refuse(place, "block sizes: found " + std::to_string(size) + " after " +
                        std::to_string(sizes.back()) + ", allowed is a multiple of it");
    }
    sizes.push_back(size);
    if (sizes.size() > 16) refuse(place, "block sizes: found more than 16");
  }
  return sizes;
}

MachineTree tree_of_cluster(const Cluster& cluster, std::string_view origin) {
  if (!cluster.switches.empty() && !cluster.blocks.empty())
    refuse(cluster.blocks.front().place, "found switches and blocks, allowed is one kind");
  if (!cluster.blocks.empty()) return tree_of_blocks(cluster, origin);
  if (cluster.switches.empty()) refuse(origin, "found neither a switch nor a block");
  return SwitchWalk(cluster.switches).read(origin);
}

}  // namespace roam::topology
