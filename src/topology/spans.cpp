// SPDX-License-Identifier: Apache-2.0
#include "topology/spans.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "topology/refuse.hpp"

namespace roam::topology {

namespace {

/// The levels by number, while their order is being determined.
struct Levels {
  std::vector<std::string> names;
  std::vector<std::size_t> rank;  // determined by the rules; lower ones go outwards
  std::vector<bool> is_optional;
  /// holds[a][b]: a span of level a contains a smaller one of level b.
  std::vector<std::vector<bool>> holds;

  [[nodiscard]] std::size_t size() const { return names.size(); }
};

/// A span with its level's number.
struct Placed {
  std::size_t level;
  std::string name;
  TreeRange leaves;
};

std::size_t level_number(Levels& levels, const std::string& name,
                         std::span<const LevelRule> rules) {
  const auto known = std::ranges::find(levels.names, name);
  if (known != levels.names.end()) return static_cast<std::size_t>(known - levels.names.begin());
  // "group 2" is subject to the rule for "group".
  const std::string base = name.substr(0, name.find(' '));
  const auto rule = std::ranges::find(rules, std::string_view(base), &LevelRule::level);
  levels.names.push_back(name);
  levels.rank.push_back(static_cast<std::size_t>(rule - rules.begin()));
  levels.is_optional.push_back(rule != rules.end() && rule->is_optional);
  return levels.size() - 1;
}

/// Sorts the spans outermost first, gives spans inside others of their kind a level of their own,
/// and determines which levels contain which.
std::vector<Placed> place_spans(std::vector<Span> spans, Levels& levels,
                                std::span<const LevelRule> rules) {
  std::erase_if(spans, [](const Span& span) { return span.leaves.size() <= 0; });
  std::ranges::stable_sort(spans, [](const Span& a, const Span& b) {
    return a.leaves.first != b.leaves.first ? a.leaves.first < b.leaves.first
                                            : a.leaves.last > b.leaves.last;
  });
  std::vector<Placed> placed;
  std::vector<std::size_t> around;  // the chain of spans that contain the present one
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (Span& span : spans) {
    while (!around.empty() && placed[around.back()].leaves.last < span.leaves.last)
      around.pop_back();
    std::string level = span.level;
    bool is_same = false;
    for (std::size_t repeats = 2; !is_same; ++repeats) {
      const auto same = std::ranges::find_if(
          around, [&](std::size_t i) { return levels.names[placed[i].level] == level; });
      if (same == around.end()) break;
      is_same = placed[*same].leaves == span.leaves;
      if (is_same && !span.name.empty()) {
        std::string& name = placed[*same].name;
        name += (name.empty() ? "" : " + ") + span.name;
      }
      if (!is_same) level = span.level + " " + std::to_string(repeats);
    }
    if (is_same) continue;
    const std::size_t number = level_number(levels, level, rules);
    for (const std::size_t outer : around)
      if (!(placed[outer].leaves == span.leaves)) pairs.emplace(placed[outer].level, number);
    around.push_back(placed.size());
    placed.push_back({number, std::move(span.name), span.leaves});
  }
  levels.holds.assign(levels.size(), std::vector<bool>(levels.size(), false));
  for (const auto& [outer, inner] : pairs) levels.holds[outer][inner] = true;
  return placed;
}

/// The level to leave out, among remaining levels that contain each other in turn.
std::size_t level_to_drop(const Levels& levels, const std::vector<bool>& is_left) {
  std::vector<std::vector<bool>> reaches = levels.holds;
  for (std::size_t via = 0; via < levels.size(); ++via) {
    if (!is_left[via]) continue;
    for (std::size_t from = 0; from < levels.size(); ++from)
      if (is_left[from] && reaches[from][via])
        for (std::size_t to = 0; to < levels.size(); ++to)
          if (reaches[via][to]) reaches[from][to] = true;
  }
  std::optional<std::size_t> worst;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    if (is_left[level] && reaches[level][level] &&
        (!worst || levels.rank[level] > levels.rank[*worst])) {
      worst = level;
    }
  }
  return worst.value();
}

/// The levels, outermost first, without those that cannot be ordered.
std::vector<std::size_t> order_levels(const Levels& levels) {
  std::vector<std::size_t> order;
  std::vector<bool> is_left(levels.size(), true);
  for (std::size_t left = levels.size(); left > 0; --left) {
    std::optional<std::size_t> next;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      if (!is_left[level]) continue;
      bool is_held = false;
      for (std::size_t outer = 0; outer < levels.size(); ++outer)
        is_held = is_held || (is_left[outer] && levels.holds[outer][level]);
      if (!is_held && (!next || levels.rank[level] < levels.rank[*next])) next = level;
    }
    if (next) {
      order.push_back(*next);
      is_left[*next] = false;
    } else {
      is_left[level_to_drop(levels, is_left)] = false;
    }
  }
  return order;
}

/// The group of each leaf on one level, numbered in the order of leaves.
struct Partition {
  std::size_t level = 0;  // its number in Levels
  std::vector<std::int32_t> group_of_leaf;
  std::vector<std::string> names;  // the names of its groups
};

Partition partition_of(std::size_t level, const std::string& level_name,
                       const std::vector<Placed>& placed, const Partition& inside) {
  const std::size_t leaves = inside.group_of_leaf.size();
  std::vector<const Placed*> span_of_leaf(leaves, nullptr);
  for (const Placed& span : placed) {
    if (span.level != level) continue;
    for (std::int32_t leaf = span.leaves.first; leaf < span.leaves.last; ++leaf)
      span_of_leaf[static_cast<std::size_t>(leaf)] = &span;
  }
  Partition partition{level, std::vector<std::int32_t>(leaves), {}};
  const bool has_gaps = std::ranges::find(span_of_leaf, nullptr) != span_of_leaf.end();
  std::int32_t spans = 0;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    const Placed* span = span_of_leaf[leaf];
    const bool is_new =
        leaf == 0 || span != span_of_leaf[leaf - 1] ||
        (span == nullptr && inside.group_of_leaf[leaf] != inside.group_of_leaf[leaf - 1]);
    if (is_new) {
      if (span == nullptr) {
        partition.names.push_back("no " + level_name);
      } else {
        partition.names.push_back(span->name);
        // The number of the group would also count groups that stand for a gap.
        if (has_gaps && span->name.empty())
          partition.names.back() = level_name + " " + std::to_string(spans);
        ++spans;
      }
    }
    partition.group_of_leaf[leaf] = static_cast<std::int32_t>(partition.names.size()) - 1;
  }
  return partition;
}

MachineTreeParts parts_of(const Levels& levels, const std::vector<Partition>& partitions,
                          const std::string& leaf_level, const std::vector<TreeLeaf>& leaves) {
  MachineTreeParts parts;
  for (const Partition& partition : partitions) {
    const bool is_leaves = &partition == &partitions.back();
    parts.levels.push_back({is_leaves ? leaf_level : levels.names[partition.level]});
    const bool has_names =
        std::ranges::any_of(partition.names, [](const auto& name) { return !name.empty(); });
    parts.names.push_back(has_names ? partition.names : std::vector<std::string>{});
  }
  for (std::size_t level = 0; level + 1 < partitions.size(); ++level) {
    std::vector<std::int32_t> parents(partitions[level + 1].names.size());
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      parents[static_cast<std::size_t>(partitions[level + 1].group_of_leaf[leaf])] =
          partitions[level].group_of_leaf[leaf];
    }
    parts.parents.push_back(std::move(parents));
  }
  const auto knows_processor = [](const TreeLeaf& leaf) { return leaf.processor >= 0; };
  if (std::ranges::all_of(leaves, knows_processor))
    for (const TreeLeaf& leaf : leaves) parts.processors.push_back(leaf.processor);
  for (const TreeLeaf& leaf : leaves) parts.usable.push_back(leaf.is_usable);
  if (std::ranges::all_of(leaves, &TreeLeaf::is_usable)) parts.usable.clear();
  return parts;
}

}  // namespace

MachineTree tree_of_spans(std::vector<Span> spans, const std::vector<TreeLeaf>& leaves,
                          const std::string& leaf_level, std::span<const LevelRule> rules,
                          std::string_view origin) {
  if (leaves.empty()) refuse(origin, "found no " + leaf_level);
  Levels levels;
  const std::vector<Placed> placed = place_spans(std::move(spans), levels, rules);
  const std::vector<std::size_t> order = order_levels(levels);
  // From the leaves outwards, because a leaf without a group of some level gets that of the level
  // inside.
  std::vector<Partition> partitions(1);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    partitions[0].group_of_leaf.push_back(static_cast<std::int32_t>(leaf));
    partitions[0].names.push_back(leaves[leaf].name);
  }
  for (auto level = order.rbegin(); level != order.rend(); ++level) {
    Partition next = partition_of(*level, levels.names[*level], placed, partitions.back());
    const bool is_whole = next.names.size() == 1;
    const bool says_nothing = next.names.size() == partitions.back().names.size() || is_whole;
    if (levels.is_optional[*level] && says_nothing) continue;
    partitions.push_back(std::move(next));
  }
  std::ranges::reverse(partitions);
  // An optional level may have the same groups as the one around it.
  for (std::size_t i = 1; i + 1 < partitions.size();) {
    const bool is_same = partitions[i].names.size() == partitions[i - 1].names.size();
    if (is_same && levels.is_optional[partitions[i].level]) {
      partitions.erase(partitions.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  if (partitions[0].names.size() != 1 || partitions.size() == 1) {
    Partition root{levels.size(), std::vector<std::int32_t>(leaves.size(), 0), {""}};
    partitions.insert(partitions.begin(), std::move(root));
    levels.names.emplace_back("machine");
  }
  return MachineTree(parts_of(levels, partitions, leaf_level, leaves), origin);
}

}  // namespace roam::topology
