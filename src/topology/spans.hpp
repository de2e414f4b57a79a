// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam::topology {

/// A range of consecutive leaves: a package, a cache, a switch.
struct Span {
  std::string level;  ///< its kind: "package", "L3", "switch"
  std::string name;   ///< its own name; may be empty
  TreeRange leaves;
};

/// A level, and whether it is left out if it separates nothing that its neighbours do not separate.
struct LevelRule {
  std::string_view level;
  bool is_optional = false;
};

struct TreeLeaf {
  std::string name = {};
  std::int32_t processor = -1;  ///< the operating system's number; -1: not known
  bool is_usable = true;
};

/// Makes a tree of spans that contain each other: any two spans have no leaves in common, or one
/// contains the other. A span that contains a larger one is on a level further out, whatever its
/// kind; if two kinds contain each other in turn, the one that `rules` lists later is left out.
/// Rules also decide the order where containment does not (outermost first), and kinds without a
/// rule are inserted after those with one. A leaf that is in no span of some level gets a group of
/// that level for itself and the leaves with which it shares the next level. Several spans of one
/// level with the same leaves become one group; a span inside one of the same level gets the level
/// "NAME 2". Throws ConfigError that starts with `origin`, as MachineTree does, and if there is no
/// leaf.
[[nodiscard]] MachineTree tree_of_spans(std::vector<Span> spans,
                                        const std::vector<TreeLeaf>& leaves,
                                        const std::string& leaf_level,
                                        std::span<const LevelRule> rules, std::string_view origin);

}  // namespace roam::topology
