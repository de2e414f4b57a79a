// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ranks.hpp"
#include "roam/core/detail/machine_tree.hpp"

namespace roam_topology {

/// Consecutive children of a group that look alike.
struct AlikeGroups {
  std::int32_t first = 0;
  std::int32_t count = 0;
};

/// Distinguishes the groups of a level by their contents, including barred leaves and ranks.
class Shapes {
 public:
  Shapes(const roam::MachineTree& tree, const RanksOnLeaves& ranks);
  /// The children of a group, with those that look alike together.
  [[nodiscard]] std::vector<AlikeGroups> children(std::size_t level, std::int32_t group) const;

 private:
  const roam::MachineTree& tree_;
  std::vector<std::vector<std::int32_t>> shape_;  // per level and group
};

/// The name of a group, "node 3", or of several alike, "node 3 to 5 (3)".
[[nodiscard]] std::string words_of(const roam::MachineTree& tree, std::size_t level,
                                   AlikeGroups groups);
/// The shortest text for a distance.
[[nodiscard]] std::string short_text(double number);

/// The table of levels, one line each.
[[nodiscard]] std::string table_text(const roam::MachineTree& tree);
/// The tree, one group a line, indented by level; groups that look alike share a line.
[[nodiscard]] std::string outline_text(const roam::MachineTree& tree, const RanksOnLeaves& ranks);

}  // namespace roam_topology
