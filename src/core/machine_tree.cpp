// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/machine_tree.hpp"

#include <algorithm>
#include <cmath>

#include "machine_check.hpp"
#include "roam/core/detail/text.hpp"
#include "roam/core/error.hpp"

namespace roam {

namespace {

[[noreturn]] void refuse_tree(std::string_view origin, const std::string& text) {
  throw ConfigError(core::one_line(std::string(origin) + ": " + text));
}

void check_levels(const MachineTreeParts& parts, std::string_view origin) {
  const std::size_t count = parts.levels.size();
  if (count < 2 || count > max_tree_levels) {
    refuse_tree(origin, "found " + std::to_string(count) + " levels, allowed are 2 to " +
                            std::to_string(max_tree_levels));
  }
  if (parts.parents.size() + 1 != count) {
    refuse_tree(origin, "found " + std::to_string(parts.parents.size()) + " lists of parents for " +
                            std::to_string(count) +
                            " levels, allowed is one for each but the first");
  }
  for (std::size_t level = 0; level < count; ++level) {
    const std::string& name = parts.levels[level].name;
    if (name.empty()) refuse_tree(origin, "level " + std::to_string(level) + " has no name");
    for (std::size_t other = 0; other < level; ++other) {
      if (core::lower_case(parts.levels[other].name) == core::lower_case(name)) {
        refuse_tree(origin, "two levels are called \"" + name +
                                "\", allowed is a name of its own for each");
      }
    }
  }
}

void check_parents(const MachineTreeParts& parts, std::string_view origin) {
  std::int32_t groups_above = 1;
  for (std::size_t level = 0; level < parts.parents.size(); ++level) {
    const std::vector<std::int32_t>& parents = parts.parents[level];
    const std::string& name = parts.levels[level].name;
    const std::string& below = parts.levels[level + 1].name;
    if (parents.size() > static_cast<std::size_t>(max_tree_leaves)) {
      refuse_tree(origin, "found " + std::to_string(parents.size()) + " groups on level \"" +
                              below + "\", allowed are at most " + std::to_string(max_tree_leaves));
    }
    std::int32_t last = -1;
    for (std::size_t group = 0; group < parents.size(); ++group) {
      const std::int32_t parent = parents[group];
      if (parent < 0 || parent >= groups_above) {
        refuse_tree(origin, below + " " + std::to_string(group) + " lies in " + name + " " +
                                std::to_string(parent) + ", but there are " +
                                std::to_string(groups_above) + ", numbered from 0");
      }
      if (parent < last) {
        refuse_tree(origin, below + " " + std::to_string(group) + " lies in " + name + " " +
                                std::to_string(parent) + ", the one before it in " +
                                std::to_string(last) + "; parents must not decrease");
      }
      if (parent > last + 1) break;
      last = parent;
    }
    if (last + 1 != groups_above)
      refuse_tree(origin, name + " " + std::to_string(last + 1) + " has no " + below);
    groups_above = static_cast<std::int32_t>(parents.size());
  }
}

template <class List>
void check_length(const List& list, std::int32_t groups, const char* what,
                  std::string_view origin) {
  if (list.empty() || list.size() == static_cast<std::size_t>(groups)) return;
  refuse_tree(origin, "found " + std::to_string(list.size()) + " " + what + " for " +
                          std::to_string(groups) + " groups, allowed is one for each, or none");
}

void check_lists(const MachineTreeParts& parts, std::string_view origin) {
  const auto leaves = static_cast<std::int32_t>(parts.parents.back().size());
  check_length(parts.usable, leaves, "marks of use", origin);
  check_length(parts.processors, leaves, "processors", origin);
  if (!parts.processors.empty() && std::ranges::min(parts.processors) < 0)
    refuse_tree(origin, "found a processor with a negative number");
  if (!parts.usable.empty() && std::ranges::find(parts.usable, true) == parts.usable.end())
    refuse_tree(origin, "no leaf may be used, allowed is at least one that may");
  check_length(parts.names, static_cast<std::int32_t>(parts.levels.size()), "lists of names",
               origin);
  for (std::size_t level = 0; level < parts.names.size(); ++level) {
    const std::size_t groups = level == 0 ? 1 : parts.parents[level - 1].size();
    check_length(parts.names[level], static_cast<std::int32_t>(groups), "names", origin);
  }
}

/// For each level, on how many of the levels from it inwards some group holds more than one group.
std::vector<double> branching_levels(const MachineTreeParts& parts) {
  std::vector<double> count(parts.levels.size(), 0.0);
  for (std::size_t level = parts.parents.size(); level-- > 0;) {
    const std::vector<std::int32_t>& parents = parts.parents[level];
    const bool branches = std::ranges::adjacent_find(parents) != parents.end();
    count[level] = count[level + 1] + (branches ? 1.0 : 0.0);
  }
  return count;
}

/// The cost function of the levels; checks what was given.
std::vector<double> distances_of(const MachineTreeParts& parts, std::string_view origin) {
  const std::size_t depth = parts.levels.size() - 1;
  std::vector<double> distances = branching_levels(parts);
  const bool given = parts.levels.front().distance.has_value();
  if (parts.levels.back().distance)
    refuse_tree(origin, "level \"" + parts.levels.back().name +
                            "\" has a distance, but leaves hold nothing that could be apart");
  for (std::size_t level = 0; level < depth; ++level) {
    const std::optional<double>& distance = parts.levels[level].distance;
    const std::string where = "level \"" + parts.levels[level].name + "\": distance: ";
    if (distance.has_value() != given)
      refuse_tree(origin, where + "some levels have one and some do not, allowed are all or none");
    if (!given) continue;
    distances[level] = *distance;
    if (!(distances[level] >= 0.0) || !std::isfinite(distances[level])) {
      refuse_tree(origin, where + "found " + core::short_number(distances[level]) +
                              ", allowed is a number of at least 0");
    }
    if (level > 0 && distances[level] > distances[level - 1]) {
      refuse_tree(origin, where + "found " + core::short_number(distances[level]) +
                              ", allowed is at most that of the level around it, " +
                              core::short_number(distances[level - 1]));
    }
  }
  return distances;
}

}  // namespace

MachineTree::MachineTree() : MachineTree({{{"machine"}, {"core"}}, {{0}}}) {}

MachineTree::MachineTree(MachineTreeParts parts, std::string_view origin)
    : parts_(std::move(parts)) {
  check_levels(parts_, origin);
  check_parents(parts_, origin);
  check_lists(parts_, origin);
  distances_ = distances_of(parts_, origin);
  index();
}

void MachineTree::index() {
  const std::size_t levels = parts_.levels.size();
  const auto leaves = static_cast<std::int32_t>(parts_.parents.back().size());
  ancestors_.resize(levels * static_cast<std::size_t>(leaves));
  first_leaf_.resize(levels);
  first_child_.resize(levels - 1);
  for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
    std::int32_t* row = ancestors_.data() + static_cast<std::size_t>(leaf) * levels;
    row[levels - 1] = leaf;
    for (std::size_t level = levels - 1; level > 0; --level)
      row[level - 1] = parts_.parents[level - 1][static_cast<std::size_t>(row[level])];
    // Groups are numbered in the order of their leaves and none is empty: where a leaf's group is
    // not the last one seen, it is the next.
    for (std::size_t level = 0; level < levels; ++level)
      if (static_cast<std::size_t>(row[level]) == first_leaf_[level].size())
        first_leaf_[level].push_back(leaf);
    if (is_usable(leaf)) usable_leaves_.push_back(leaf);
  }
  for (std::vector<std::int32_t>& first : first_leaf_) first.push_back(leaves);
  for (std::size_t level = 0; level + 1 < levels; ++level) {
    const std::vector<std::int32_t>& parents = parts_.parents[level];
    std::vector<std::int32_t>& first = first_child_[level];
    for (std::size_t group = 0; group < parents.size(); ++group)
      if (static_cast<std::size_t>(parents[group]) == first.size())
        first.push_back(static_cast<std::int32_t>(group));
    first.push_back(static_cast<std::int32_t>(parents.size()));
  }
}

std::optional<std::size_t> MachineTree::level_named(std::string_view name) const {
  for (std::size_t level = 0; level < parts_.levels.size(); ++level)
    if (core::lower_case(parts_.levels[level].name) == core::lower_case(name)) return level;
  return std::nullopt;
}

std::optional<std::int32_t> MachineTree::arity(std::size_t level) const {
  const std::int32_t first = children(level, 0).size();
  for (std::int32_t group = 1; group < groups(level); ++group)
    if (children(level, group).size() != first) return std::nullopt;
  return first;
}

bool MachineTree::is_regular() const {
  for (std::size_t level = 0; level < depth(); ++level)
    if (!arity(level)) return false;
  return true;
}

std::int32_t MachineTree::usable_in(std::size_t level, std::int32_t group) const {
  const TreeRange range = leaves_of(level, group);
  const auto first = std::ranges::lower_bound(usable_leaves_, range.first);
  const auto last = std::ranges::lower_bound(usable_leaves_, range.last);
  return static_cast<std::int32_t>(last - first);
}

std::string MachineTree::name(std::size_t level, std::int32_t group) const {
  if (level < parts_.names.size() && !parts_.names[level].empty()) {
    const std::string& own = parts_.names[level][static_cast<std::size_t>(group)];
    if (!own.empty()) return own;
  }
  const std::string& of_level = parts_.levels[level].name;
  if (level == 0) return of_level;
  // "switch 2" and "L3" end in digits of their own.
  const bool ends_in_digit = of_level.back() >= '0' && of_level.back() <= '9';
  return of_level + (ends_in_digit ? " #" : " ") + std::to_string(group);
}

std::optional<std::int32_t> MachineTree::processor(std::int32_t leaf) const {
  if (parts_.processors.empty()) return std::nullopt;
  return parts_.processors[static_cast<std::size_t>(leaf)];
}

MachineTree MachineTree::with_usable(std::span<const std::int32_t> usable) const {
  MachineTreeParts parts = parts_;
  parts.usable.assign(static_cast<std::size_t>(leaves()), false);
  for (const std::int32_t leaf : usable) {
    if (leaf < 0 || leaf >= leaves()) {
      refuse_tree("machine tree", "found leaf " + std::to_string(leaf) + ", allowed are 0 to " +
                                      std::to_string(leaves() - 1));
    }
    parts.usable[static_cast<std::size_t>(leaf)] = true;
  }
  return MachineTree(std::move(parts));
}

MachineTree MachineTree::with_distances(std::span<const double> distances) const {
  if (distances.size() != depth()) {
    refuse_tree("machine tree", "found " + std::to_string(distances.size()) +
                                    " distances, allowed is one for each of the " +
                                    std::to_string(depth()) + " levels above the leaves");
  }
  MachineTreeParts parts = parts_;
  for (std::size_t level = 0; level < depth(); ++level)
    parts.levels[level].distance = distances[level];
  return MachineTree(std::move(parts));
}

MachineTree MachineTree::ending_at(std::size_t level) const {
  MachineTreeParts parts = parts_;
  parts.levels.resize(level + 1);
  parts.levels.back().distance.reset();
  parts.parents.resize(level);
  if (!parts.names.empty()) parts.names.resize(level + 1);
  const auto new_leaves = static_cast<std::size_t>(groups(level));
  if (!parts_.usable.empty()) parts.usable.assign(new_leaves, false);
  if (!parts_.processors.empty()) parts.processors.resize(new_leaves);
  for (std::int32_t leaf = leaves() - 1; leaf >= 0; --leaf) {
    const auto group = static_cast<std::size_t>(ancestor(leaf, level));
    const bool was_usable = !parts_.usable.empty() && parts.usable[group];
    if (!parts_.usable.empty() && is_usable(leaf)) parts.usable[group] = true;
    // Leaves are visited from the last to the first, so that the first usable one decides; a barred
    // one decides only if none is usable.
    if (!parts_.processors.empty() && (is_usable(leaf) || !was_usable))
      parts.processors[group] = parts_.processors[static_cast<std::size_t>(leaf)];
  }
  return MachineTree(std::move(parts));
}

bool operator==(const MachineTree& a, const MachineTree& b) {
  return a.parts_.levels == b.parts_.levels && a.parts_.parents == b.parts_.parents &&
         a.usable_leaves_ == b.usable_leaves_ && a.parts_.names == b.parts_.names &&
         a.parts_.processors == b.parts_.processors;
}

}  // namespace roam
