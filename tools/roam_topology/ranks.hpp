// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam_topology {

/// The ranks of a job on the leaves of a tree; several may share a leaf.
class RanksOnLeaves {
 public:
  RanksOnLeaves() = default;
  /// Reads the leaves of ranks 0, 1, ... from a text such as "0-3,8,9"; throws roam::ConfigError.
  RanksOnLeaves(const std::string& text, const roam::MachineTree& tree);
  /// For each rank its leaves: several, if it has several workers or may use any of them.
  RanksOnLeaves(const std::vector<std::vector<std::int32_t>>& leaves,
                const roam::MachineTree& tree);

  [[nodiscard]] bool empty() const { return on_leaf_.empty(); }
  /// The ranks on a leaf as text: "r5", "r5 r9", or empty.
  [[nodiscard]] std::string text(std::int32_t leaf) const;
  [[nodiscard]] std::int32_t count(std::int32_t leaf) const;

 private:
  std::vector<std::vector<std::int32_t>> on_leaf_;  // empty: no ranks at all
};

}  // namespace roam_topology
