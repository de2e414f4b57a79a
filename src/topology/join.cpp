// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/join.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "topology/refuse.hpp"

namespace roam::topology {

MachineTree join(const MachineTree& outer, const MachineTree& inner, std::string_view origin) {
  const auto nodes = static_cast<std::int64_t>(outer.leaves());
  if (nodes * inner.leaves() > max_tree_leaves) {
    refuse(origin, "found " + std::to_string(nodes) + " machines of " +
                       std::to_string(inner.leaves()) + " leaves, allowed are at most " +
                       std::to_string(max_tree_leaves) + " leaves");
  }
  if (outer.has_distances() != inner.has_distances()) {
    refuse(origin, "one of the two trees has distances, allowed are both or none");
  }
  MachineTreeParts parts = outer.parts();
  if (parts.levels.back().name == "core") {
    for (std::size_t height = 0; height < outer.depth(); ++height) {
      std::string name = height == 0 ? "node" : "switch";
      if (height > 1) name += " " + std::to_string(height);
      parts.levels[outer.depth() - height].name = std::move(name);
    }
  }
  parts.levels.back().distance = inner.levels().front().distance;
  for (std::size_t level = 0; level < inner.depth(); ++level) {
    parts.levels.push_back(inner.levels()[level + 1]);
    std::vector<std::int32_t>& parents = parts.parents.emplace_back();
    const std::vector<std::int32_t>& inside = inner.parts().parents[level];
    for (std::int32_t node = 0; node < outer.leaves(); ++node)
      for (const std::int32_t parent : inside)
        parents.push_back(node * inner.groups(level) + parent);
  }
  if (!parts.names.empty()) parts.names.resize(parts.levels.size());
  parts.usable.clear();
  parts.processors.clear();
  for (std::int32_t node = 0; node < outer.leaves(); ++node) {
    for (std::int32_t leaf = 0; leaf < inner.leaves(); ++leaf)
      parts.usable.push_back(outer.is_usable(node) && inner.is_usable(leaf));
    parts.processors.insert(parts.processors.end(), inner.parts().processors.begin(),
                            inner.parts().processors.end());
  }
  return MachineTree(std::move(parts), origin);
}

}  // namespace roam::topology
