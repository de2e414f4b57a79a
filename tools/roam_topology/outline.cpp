// SPDX-License-Identifier: Apache-2.0
#include "outline.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "support/words.hpp"

namespace roam_topology {

using roam::MachineTree;
using roam::TreeRange;

Shapes::Shapes(const MachineTree& tree, const RanksOnLeaves& ranks)
    : tree_(tree), shape_(tree.depth() + 1) {
  for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
    // Leaves with different ranks on them are different.
    const bool is_free = ranks.count(leaf) == 0;
    shape_.back().push_back(!tree.is_usable(leaf) ? -1 : is_free ? -2 : leaf);
  }
  for (std::size_t level = tree.depth(); level-- > 0;) {
    std::map<std::vector<std::int32_t>, std::int32_t> known;
    for (std::int32_t group = 0; group < tree.groups(level); ++group) {
      const TreeRange range = tree.children(level, group);
      const auto inside = shape_[level + 1].begin();
      const std::vector<std::int32_t> content(inside + range.first, inside + range.last);
      const auto number = static_cast<std::int32_t>(known.size());
      shape_[level].push_back(known.emplace(content, number).first->second);
    }
  }
}

std::vector<AlikeGroups> Shapes::children(std::size_t level, std::int32_t group) const {
  const TreeRange range = tree_.children(level, group);
  const std::vector<std::int32_t>& shapes = shape_[level + 1];
  std::vector<AlikeGroups> runs;
  for (std::int32_t child = range.first; child < range.last; ++child) {
    const auto at = static_cast<std::size_t>(child);
    if (!runs.empty() && shapes[at] == shapes[at - 1]) {
      ++runs.back().count;
    } else {
      runs.push_back({child, 1});
    }
  }
  return runs;
}

std::string short_text(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", number);
  return buffer;
}

std::string words_of(const MachineTree& tree, std::size_t level, AlikeGroups groups) {
  const std::string first = tree.name(level, groups.first);
  if (groups.count == 1) return first;
  const std::string last = tree.name(level, groups.first + groups.count - 1);
  // "node 3 to 5"; names that are not numbered stay as they are.
  const std::string prefix = tree.levels()[level].name + " ";
  const bool are_numbered =
      first.starts_with(prefix) && last.starts_with(prefix) &&
      last.find_first_not_of("0123456789#", prefix.size()) == std::string::npos;
  return first + " to " + (are_numbered ? last.substr(prefix.size()) : last) + " (" +
         std::to_string(groups.count) + ")";
}

std::string table_text(const MachineTree& tree) {
  std::string text;
  char line[128];
  std::snprintf(line, sizeof line, "%-14s %9s %9s %9s\n", "level", "groups", "each has",
                "distance");
  text += line;
  for (std::size_t level = 0; level <= tree.depth(); ++level) {
    std::string each = "-";
    std::string distance = "-";
    if (level < tree.depth()) {
      const auto arity = tree.arity(level);
      each = arity ? std::to_string(*arity) : "unequal";
      distance = short_text(tree.distance_at(level));
    }
    std::snprintf(line, sizeof line, "%-14.60s %9d %9s %9s\n", tree.levels()[level].name.c_str(),
                  tree.groups(level), each.c_str(), distance.c_str());
    text += line;
  }
  const auto usable = static_cast<std::int32_t>(tree.usable_leaves().size());
  if (usable < tree.leaves()) {
    text += std::to_string(tree.leaves() - usable) + " of " + std::to_string(tree.leaves()) + " " +
            roam_tools::plural(tree.levels().back().name) + " may not be used\n";
  }
  return text;
}

namespace {

class Outline {
 public:
  Outline(const MachineTree& tree, const RanksOnLeaves& ranks)
      : tree_(tree), ranks_(ranks), shapes_(tree, ranks) {}

  std::string text() {
    write(0, {0, 1}, 0);
    return std::move(text_);
  }

 private:
  /// The notes after a leaf's name: processor, rank, whether it is barred.
  std::string notes(AlikeGroups leaves) const {
    std::string notes;
    const std::int32_t last = leaves.first + leaves.count - 1;
    if (const auto processor = tree_.processor(leaves.first)) {
      std::vector<std::int32_t> numbers;
      for (std::int32_t leaf = leaves.first; leaf <= last; ++leaf)
        numbers.push_back(*tree_.processor(leaf));
      notes += "  processor " + ranges_text(numbers);
    }
    if (!tree_.is_usable(leaves.first)) notes += "  may not be used";
    const std::string ranks = ranks_.text(leaves.first);
    return ranks.empty() ? notes : notes + "  " + ranks;
  }

  static std::string ranges_text(const std::vector<std::int32_t>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
      std::size_t end = i + 1;
      while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
      text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
      if (end > i + 1) text += "-" + std::to_string(numbers[end - 1]);
      i = end;
    }
    return text;
  }

  void write(std::size_t level, AlikeGroups groups, int indent) {
    text_ +=
        std::string(static_cast<std::size_t>(indent) * 2, ' ') + words_of(tree_, level, groups);
    if (level == tree_.depth()) {
      text_ += notes(groups) + "\n";
      return;
    }
    text_ += "\n";
    // Below groups that look alike, the children of the first represent those of all.
    for (const AlikeGroups& inside : shapes_.children(level, groups.first))
      write(level + 1, inside, indent + 1);
  }

  const MachineTree& tree_;
  const RanksOnLeaves& ranks_;
  Shapes shapes_;
  std::string text_;
};

}  // namespace

std::string outline_text(const MachineTree& tree, const RanksOnLeaves& ranks) {
  return Outline(tree, ranks).text();
}

}  // namespace roam_topology
