// SPDX-License-Identifier: Apache-2.0
#include "flows.hpp"

#include <algorithm>
#include <cstddef>

namespace roam::placement {

namespace {

/// What groups below a node of the tree have too much of, or capacity for, after their exchanges
/// with each other.
struct Leftover {
  struct Part {
    std::int32_t group;
    double seconds;
  };
  std::vector<Part> surplus;
  std::vector<Part> room;
};

void match(Leftover& node, std::vector<Flow>& flows) {
  std::size_t giver = 0;
  std::size_t taker = 0;
  while (giver < node.surplus.size() && taker < node.room.size()) {
    Leftover::Part& from = node.surplus[giver];
    Leftover::Part& to = node.room[taker];
    const double seconds = std::min(from.seconds, to.seconds);
    flows.push_back({from.group, to.group, seconds});
    from.seconds -= seconds;
    to.seconds -= seconds;
    if (from.seconds <= 0) ++giver;
    if (to.seconds <= 0) ++taker;
  }
  node.surplus.erase(node.surplus.begin(),
                     node.surplus.begin() + static_cast<std::ptrdiff_t>(giver));
  node.room.erase(node.room.begin(), node.room.begin() + static_cast<std::ptrdiff_t>(taker));
}

Leftover join(std::span<Leftover> children) {
  Leftover node = std::move(children.front());
  for (const Leftover& child : children.subspan(1)) {
    node.surplus.insert(node.surplus.end(), child.surplus.begin(), child.surplus.end());
    node.room.insert(node.room.end(), child.room.begin(), child.room.end());
  }
  return node;
}

}  // namespace

std::vector<Flow> plan_flows(std::span<const GroupWork> groups, std::int32_t arity,
                             double imbalance) {
  GroupWork all{0, 0};
  for (const GroupWork& group : groups) {
    all.seconds += group.seconds;
    all.capacity += group.capacity;
  }
  std::vector<Leftover> nodes(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double share = all.seconds * groups[g].capacity / all.capacity;
    const double surplus = groups[g].seconds - share;
    const auto group = static_cast<std::int32_t>(g);
    if (surplus > imbalance * share) nodes[g].surplus.push_back({group, surplus});
    if (surplus < 0) nodes[g].room.push_back({group, -surplus});
  }
  std::vector<Flow> flows;
  const auto width = static_cast<std::size_t>(std::max(arity, 2));
  while (nodes.size() > 1) {
    std::vector<Leftover> parents;
    for (std::size_t first = 0; first < nodes.size(); first += width) {
      parents.push_back(
          join(std::span(nodes).subspan(first, std::min(width, nodes.size() - first))));
      match(parents.back(), flows);
    }
    nodes = std::move(parents);
  }
  std::ranges::stable_sort(flows, {}, &Flow::from);
  return flows;
}

}  // namespace roam::placement
