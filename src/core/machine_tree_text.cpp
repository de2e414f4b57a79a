// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "machine_check.hpp"
#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/detail/text.hpp"
#include "roam/core/error.hpp"

namespace roam {

namespace {

[[noreturn]] void refuse_notation(std::string_view origin, const std::string& text) {
  throw ConfigError(core::one_line(std::string(origin) + ": " + text) +
                    "; a machine tree is written as in 8:2:4@100:10:1!7,24-31: groups, distances, "
                    "barred leaves");
}

/// Reads a whole number from `low` to `high`.
std::int32_t whole(std::string_view text, std::int32_t low, std::int32_t high, const char* what,
                   std::string_view origin) {
  const auto number = core::read_number<std::int32_t>(text);
  if (!number || *number < low || *number > high) {
    refuse_notation(origin, std::string(what) + ": found \"" + std::string(text) +
                                "\", allowed is a whole number from " + std::to_string(low) +
                                " to " + std::to_string(high));
  }
  return *number;
}

double distance(std::string_view text, std::string_view origin) {
  const auto number = core::read_number<double>(text);
  if (!number)
    refuse_notation(origin, "distances: found \"" + std::string(text) + "\", allowed is a number");
  return *number;
}

/// The levels' names for a tree of this depth.
std::vector<MachineLevel> named_levels(std::size_t depth) {
  std::vector<MachineLevel> levels(depth + 1);
  levels[0].name = "machine";
  for (std::size_t level = depth; level > 0; --level) {
    const std::size_t height = depth - level;
    constexpr const char* names[] = {"core", "package", "node", "switch"};
    levels[level].name = height < 4 ? names[height] : "switch " + std::to_string(height - 2);
  }
  return levels;
}

/// Reads the text of one level, "4" or "3,1", into the list of the parents of the groups on the
/// next level inwards.
std::vector<std::int32_t> read_level(std::string_view text, std::int32_t groups,
                                     std::string_view origin) {
  const std::vector<std::string_view> counts = core::split(text, ',');
  if (counts.size() != 1 && counts.size() != static_cast<std::size_t>(groups)) {
    refuse_notation(origin, "found a list of " + std::to_string(counts.size()) + " numbers for " +
                                std::to_string(groups) +
                                " groups, allowed is one number for each, or one for all");
  }
  std::vector<std::int32_t> parents;
  for (std::int32_t group = 0; group < groups; ++group) {
    const std::string_view text_of_group =
        counts.size() == 1 ? counts[0] : counts[static_cast<std::size_t>(group)];
    const std::int32_t count = whole(text_of_group, 1, max_tree_leaves, "groups", origin);
    if (parents.size() + static_cast<std::size_t>(count) >
        static_cast<std::size_t>(max_tree_leaves)) {
      refuse_notation(
          origin, "found more than " + std::to_string(max_tree_leaves) + " groups on one level");
    }
    parents.insert(parents.end(), static_cast<std::size_t>(count), group);
  }
  return parents;
}

void bar(std::string_view text, std::vector<bool>& usable, std::string_view origin) {
  const auto last_leaf = static_cast<std::int32_t>(usable.size()) - 1;
  for (const std::string_view entry : core::split(text, ',')) {
    const std::size_t dash = entry.find('-');
    const std::int32_t first = whole(entry.substr(0, dash), 0, last_leaf, "barred leaf", origin);
    const std::int32_t last =
        dash == std::string_view::npos
            ? first
            : whole(entry.substr(dash + 1), first, last_leaf, "barred leaf", origin);
    std::fill(usable.begin() + first, usable.begin() + last + 1, false);
  }
}

/// The barred leaves as text: "0,3-5".
std::string barred_text(const MachineTree& tree) {
  std::string text;
  for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    if (tree.is_usable(leaf)) continue;
    std::int32_t last = leaf;
    while (last + 1 < tree.leaves() && !tree.is_usable(last + 1)) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(leaf);
    if (last > leaf) text += '-' + std::to_string(last);
    leaf = last;
  }
  return text;
}

}  // namespace

MachineTree parse_machine_tree(std::string_view text, std::string_view origin) {
  const std::size_t mark = text.find('!');
  const std::string_view barred =
      mark == std::string_view::npos ? std::string_view{} : text.substr(mark + 1);
  const std::string_view before = text.substr(0, mark);
  const std::size_t at = before.find('@');
  const std::vector<std::string_view> arities = core::split(before.substr(0, at), ':');
  if (arities.size() + 1 > max_tree_levels) {
    refuse_notation(origin, "found " + std::to_string(arities.size()) +
                                " numbers, allowed are at most " +
                                std::to_string(max_tree_levels - 1));
  }
  MachineTreeParts parts;
  parts.levels = named_levels(arities.size());
  std::int32_t groups = 1;
  for (const std::string_view arity : arities) {
    parts.parents.push_back(read_level(arity, groups, origin));
    groups = static_cast<std::int32_t>(parts.parents.back().size());
  }
  if (at != std::string_view::npos) {
    const std::vector<std::string_view> distances = core::split(before.substr(at + 1), ':');
    if (distances.size() != arities.size()) {
      refuse_notation(origin, "found " + std::to_string(distances.size()) + " distances for " +
                                  std::to_string(arities.size()) +
                                  " levels, allowed is one for each");
    }
    for (std::size_t level = 0; level < distances.size(); ++level)
      parts.levels[level].distance = distance(distances[level], origin);
  }
  if (mark != std::string_view::npos) {
    parts.usable.assign(static_cast<std::size_t>(groups), true);
    bar(barred, parts.usable, origin);
  }
  return MachineTree(std::move(parts), origin);
}

bool is_machine_tree(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9' &&
         text.find_first_not_of("0123456789:,@!-.e+") == std::string_view::npos;
}

std::string to_text(const MachineTree& tree) {
  std::string text;
  for (std::size_t level = 0; level < tree.depth(); ++level) {
    if (level > 0) text += ':';
    if (const auto arity = tree.arity(level)) {
      text += std::to_string(*arity);
      continue;
    }
    for (std::int32_t group = 0; group < tree.groups(level); ++group) {
      if (group > 0) text += ',';
      text += std::to_string(tree.children(level, group).size());
    }
  }
  if (tree.has_distances()) {
    for (std::size_t level = 0; level < tree.depth(); ++level) {
      text += level == 0 ? '@' : ':';
      text += core::short_number(tree.distance_at(level));
    }
  }
  const std::string barred = barred_text(tree);
  return barred.empty() ? text : text + "!" + barred;
}

}  // namespace roam
