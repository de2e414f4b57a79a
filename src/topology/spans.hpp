// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// Something that holds consecutive leaves: a package, a cache, a switch.
struct Span {
  std::string level;  ///< what it is: "package", "L3", "switch"
  std::string name;   ///< what it is called itself; may be empty
  TreeRange leaves;
};

/// A level and whether it is worth its place where it separates nothing that its neighbours do not
/// separate.
struct LevelRule {
  std::string_view level;
  bool is_optional = false;
};

struct TreeLeaf {
  std::string name = {};
  std::int32_t processor = -1;  ///< the operating system's number; -1: not known
  bool is_usable = true;
};

/// The tree of things that hold each other: any two spans hold each other's leaves or none in
/// common. What holds something larger comes on a level further out, whatever its kind; where two
/// kinds hold each other in turn, the one that `rules` names later is left out. Rules also decide
/// the order where containment does not (outermost first), and kinds without a rule are inserted
/// after those with one. Where a leaf lies in nothing of some level, it has a group of that level
/// for itself and those it shares the next level with. Several spans of one level that hold the
/// same leaves become one group; a span inside one of the same level has the level "NAME 2".
/// Throws ConfigError that starts with `origin`, as MachineTree does, and if there is no leaf.
[[nodiscard]] MachineTree tree_of_spans(std::vector<Span> spans,
                                        const std::vector<TreeLeaf>& leaves,
                                        const std::string& leaf_level,
                                        std::span<const LevelRule> rules, std::string_view origin);

}  // namespace roam::topology
