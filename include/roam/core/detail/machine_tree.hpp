// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roam {

struct Machine;

inline constexpr std::int32_t max_tree_leaves = 16'777'216;
inline constexpr std::size_t max_tree_levels = 32;

/// One level of a machine's tree, as "node" or "L3".
struct MachineLevel {
  std::string name;
  /// What a unit of communication costs between two leaves that meet on this level and on none
  /// further in. Either every level above the leaves has a distance or none has; the leaves' own
  /// level has none.
  std::optional<double> distance = std::nullopt;

  friend bool operator==(const MachineLevel&, const MachineLevel&) = default;
};

/// A consecutive range of leaves or of groups, [first, last).
struct TreeRange {
  std::int32_t first = 0;
  std::int32_t last = 0;

  [[nodiscard]] std::int32_t size() const { return last - first; }
  [[nodiscard]] bool contains(std::int32_t index) const { return index >= first && index < last; }
  friend bool operator==(const TreeRange&, const TreeRange&) = default;
};

/// What a MachineTree is made of.
struct MachineTreeParts {
  /// From the root (level 0, "machine") to the leaves ("core", "PU"); 2 to max_tree_levels.
  std::vector<MachineLevel> levels;
  /// parents[l][g] is the group of level l that holds group g of level l + 1, so there is one list
  /// fewer than there are levels. The entries of a list do not decrease, start at 0 and leave out
  /// no group of level l: no group is empty.
  std::vector<std::vector<std::int32_t>> parents;
  /// For each leaf whether it may be used; an empty list means that all may.
  std::vector<bool> usable = {};
  /// names[l][g] is the name of group g of level l ("tux3"), for people to read. A list or a name
  /// may be empty: there is none then.
  std::vector<std::vector<std::string>> names = {};
  /// For each leaf the operating system's number of its (first) processor, at least 0; an empty
  /// list means that the numbers are not known.
  std::vector<std::int32_t> processors = {};
};

/// The tree of a machine: how its cores sit together in caches, packages, nodes and switches. A
/// plain value, which nothing changes once it is made.
///
/// Level 0 is the machine as a whole, level depth() the leaves (cores, or hardware threads). The
/// groups of each level are numbered from 0, in the order of their leaves; every leaf lies in
/// exactly one group of every level, and the leaves of a group are consecutive. Groups of one level
/// may hold different numbers of groups (a node with fewer cores). Some leaves may be barred: they
/// have their place in the tree, but nothing is to be put there.
///
/// Functions that take a level, a group or a leaf expect one that exists. All of them are
/// thread-safe, block nowhere and, unless they return a tree, throw nothing.
class MachineTree {
 public:
  /// One core in one machine.
  MachineTree();

  /// Throws ConfigError, one line that starts with `origin`, if the parts do not fit together:
  /// levels without a name or two with the same, a group without leaves, lists of wrong length,
  /// distances that are missing, negative or grow towards the leaves, no leaf that may be used.
  explicit MachineTree(MachineTreeParts parts, std::string_view origin = "machine tree");

  /// The level of the leaves; there are depth() + 1 levels.
  [[nodiscard]] std::size_t depth() const { return parts_.levels.size() - 1; }
  [[nodiscard]] std::span<const MachineLevel> levels() const { return parts_.levels; }
  /// The level of this name, compared without regard to case; nullopt if the tree has none.
  [[nodiscard]] std::optional<std::size_t> level_named(std::string_view name) const;

  [[nodiscard]] std::int32_t leaves() const { return groups(depth()); }
  /// The number of groups on a level.
  [[nodiscard]] std::int32_t groups(std::size_t level) const {
    return static_cast<std::int32_t>(first_leaf_[level].size()) - 1;
  }

  /// The leaves of a group.
  [[nodiscard]] TreeRange leaves_of(std::size_t level, std::int32_t group) const {
    const std::int32_t* first = first_leaf_[level].data() + group;
    return {first[0], first[1]};
  }
  /// The groups of level + 1 that a group holds; level < depth().
  [[nodiscard]] TreeRange children(std::size_t level, std::int32_t group) const {
    const std::int32_t* first = first_child_[level].data() + group;
    return {first[0], first[1]};
  }
  /// The group of level - 1 that holds this one; level > 0.
  [[nodiscard]] std::int32_t parent(std::size_t level, std::int32_t group) const {
    return parts_.parents[level - 1][static_cast<std::size_t>(group)];
  }
  /// The number of groups that each group of the level holds, if it is the same for all of them;
  /// level < depth().
  [[nodiscard]] std::optional<std::int32_t> arity(std::size_t level) const;
  /// True if every level has one arity, so that any two groups of a level look alike but for
  /// barred leaves.
  [[nodiscard]] bool is_regular() const;

  /// The group of a level in which a leaf lies; the leaf itself on level depth().
  [[nodiscard]] std::int32_t ancestor(std::int32_t leaf, std::size_t level) const {
    return ancestors(leaf)[level];
  }
  /// The groups of a leaf on all levels, the root's first.
  [[nodiscard]] std::span<const std::int32_t> ancestors(std::int32_t leaf) const {
    const std::size_t levels = parts_.levels.size();
    return {ancestors_.data() + static_cast<std::size_t>(leaf) * levels, levels};
  }
  /// The innermost level on which both leaves lie in one group: depth() if they are the same leaf,
  /// 0 if they share nothing but the machine. Takes time proportional to the levels.
  [[nodiscard]] std::size_t common_level(std::int32_t a, std::int32_t b) const {
    const std::span<const std::int32_t> of_a = ancestors(a);
    const std::span<const std::int32_t> of_b = ancestors(b);
    std::size_t level = depth();
    while (of_a[level] != of_b[level]) --level;
    return level;
  }

  /// The cost of a unit of communication between leaves that meet on this level; 0 on level
  /// depth(). If the levels were given no distances, it is the number of levels, from this one
  /// inwards, on which some group holds more than one group.
  [[nodiscard]] double distance_at(std::size_t level) const { return distances_[level]; }
  [[nodiscard]] double distance(std::int32_t a, std::int32_t b) const {
    return distances_[common_level(a, b)];
  }
  /// distance_at() of all levels, the root's first: the whole cost function.
  [[nodiscard]] std::span<const double> distances() const { return distances_; }
  /// True if the levels were given distances.
  [[nodiscard]] bool has_distances() const { return parts_.levels.front().distance.has_value(); }

  [[nodiscard]] bool is_usable(std::int32_t leaf) const {
    return parts_.usable.empty() || parts_.usable[static_cast<std::size_t>(leaf)];
  }
  /// The leaves that may be used, in order; at least one.
  [[nodiscard]] std::span<const std::int32_t> usable_leaves() const { return usable_leaves_; }
  /// How many of a group's leaves may be used.
  [[nodiscard]] std::int32_t usable_in(std::size_t level, std::int32_t group) const;

  /// The name of a group, for people to read: its own if it has one, else the level's name and the
  /// group's number ("node 3", "L3 #3").
  [[nodiscard]] std::string name(std::size_t level, std::int32_t group) const;
  /// The operating system's number of a leaf's (first) processor; nullopt if it is not known.
  [[nodiscard]] std::optional<std::int32_t> processor(std::int32_t leaf) const;

  /// The parts that the tree was made of; a changed copy of them makes another tree.
  [[nodiscard]] const MachineTreeParts& parts() const { return parts_; }

  /// This tree with only these leaves usable (so barred ones can be given back, too). Throws
  /// ConfigError if the list is empty or names a leaf that does not exist.
  [[nodiscard]] MachineTree with_usable(std::span<const std::int32_t> leaves) const;
  /// This tree with these distances: one for each level above the leaves, the root's first. Throws
  /// ConfigError as the constructor does.
  [[nodiscard]] MachineTree with_distances(std::span<const double> distances) const;
  /// The tree whose leaves are the groups of `level` (cores instead of hardware threads), 0 <
  /// level <= depth(). A leaf of it is usable if any leaf in the group was; its processor is the
  /// first usable one's.
  [[nodiscard]] MachineTree ending_at(std::size_t level) const;

  friend bool operator==(const MachineTree& a, const MachineTree& b);

 private:
  void index();

  MachineTreeParts parts_;
  std::vector<std::vector<std::int32_t>> first_leaf_;   // per level: groups + 1 entries
  std::vector<std::vector<std::int32_t>> first_child_;  // per level but the last, likewise
  std::vector<std::int32_t> ancestors_;                 // leaf by leaf, one entry for each level
  std::vector<double> distances_;                       // per level
  std::vector<std::int32_t> usable_leaves_;
};

/// Reads the compact notation: the number of groups in each group, the root's first, separated by
/// colons. `8:2:4` is a machine of 8 nodes with 2 packages of 4 cores each. A list in place of a
/// number gives a number for each group of that level separately: `2:3,1:4` has 3 packages in the
/// first node, 1 in the second. Distances follow an at sign, likewise the root's first:
/// `8:2:4@100:10:1`. Then, after an exclamation mark, follow the leaves that may not be used, with
/// ranges: `8:2:4!7,24-31`. The leaves are called "core", the levels above them "package", "node",
/// "switch", "switch 2", ... and the root "machine". Throws ConfigError, one line that starts with
/// `origin`, for anything else and for more than max_tree_leaves leaves.
[[nodiscard]] MachineTree parse_machine_tree(std::string_view text, std::string_view origin);

/// True if the text can only be meant as this notation: it starts with a digit and has nothing but
/// digits and the notation's signs.
[[nodiscard]] bool is_machine_tree(std::string_view text);

/// The tree in the compact notation, lists only where groups differ. Names and the operating
/// system's numbers are not part of it.
[[nodiscard]] std::string to_text(const MachineTree& tree);

/// The tree of a simulated machine: its levels of the network, the outermost as the root, and the
/// ranks as leaves (level "rank"). Without distances: what a message costs depends on its size and
/// stands in the machine. `machine` has passed check().
[[nodiscard]] MachineTree tree_of(const Machine& machine);

}  // namespace roam
