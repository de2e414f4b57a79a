// SPDX-License-Identifier: Apache-2.0
#include "nested_assignment.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "roam/topology/detail/assignment/assign.hpp"

namespace roam::topology {

namespace {

class NestedAssignment {
 public:
  NestedAssignment(const LeafIndex& index, std::span<const double> limits) : index_(index) {
    kind_.resize(index.nodes());
    std::map<double, std::uint32_t> leaf_kinds;
    std::map<std::vector<std::uint32_t>, std::uint32_t> node_kinds;
    const LeafIndex::Range leaves = index.nodes_of_level(index.levels() - 1);
    for (std::uint32_t node = leaves.first; node < leaves.last; ++node) {
      const double limit = limits[index.leaves_of(node).first];
      kind_[node] = leaf_kinds.try_emplace(limit, leaf_kinds.size()).first->second;
    }
    for (std::uint32_t node = leaves.first; node-- > 0;) {
      std::vector<std::uint32_t> inside;
      const LeafIndex::Range children = index.children(node);
      for (std::uint32_t c = children.first; c < children.last; ++c) inside.push_back(kind_[c]);
      std::ranges::sort(inside);
      kind_[node] = node_kinds.try_emplace(std::move(inside), node_kinds.size()).first->second;
    }
  }

  /// Returns the leaf to which each leaf's objects go.
  std::vector<std::uint32_t> run(std::span<const std::uint32_t> home,
                                 std::span<const std::uint32_t> place) {
    const std::size_t last = index_.levels() - 1;
    Pairs pairs;
    for (std::size_t v = 0; v < place.size(); ++v) {
      if (home[v] >= index_.leaves()) continue;
      pairs.push_back({index_.path(place[v])[last], index_.path(home[v])[last], 1});
    }
    for (std::size_t level = last + 1; level-- > 0;) {
      add_up(pairs);
      pairs = level == 0 ? std::move(pairs) : parents(pairs, level);
    }
    node_of_.resize(index_.nodes());
    const LeafIndex::Range top = index_.top();
    put(assign_children(pairs, top, top).second, top);
    for (std::uint32_t node = 0; node < index_.nodes(); ++node) {
      const LeafIndex::Range children = index_.children(node);
      if (children.size() == 0) continue;
      const auto known = inside_.find(key(node, node_of_[node]));
      put(known != inside_.end()
              ? known->second
              : assign_children({}, children, index_.children(node_of_[node])).second,
          children);
    }
    std::vector<std::uint32_t> leaf_of(index_.leaves());
    for (std::uint32_t leaf = 0; leaf < index_.leaves(); ++leaf) {
      leaf_of[leaf] = index_.leaves_of(node_of_[index_.path(leaf)[last]]).first;
    }
    return leaf_of;
  }

 private:
  /// An assignment of the objects on `from` to `to`, and how much of them is then at home.
  struct Pair {
    std::uint32_t from;
    std::uint32_t to;
    std::int64_t at_home;
  };
  using Pairs = std::vector<Pair>;

  [[nodiscard]] std::uint64_t key(std::uint32_t from, std::uint32_t to) const {
    return std::uint64_t{from} * index_.nodes() + to;
  }

  static void add_up(Pairs& pairs) {
    const auto place = [](const Pair& pair) { return std::pair(pair.from, pair.to); };
    std::ranges::sort(pairs, {}, place);
    std::size_t kept = 0;
    for (const Pair& pair : pairs) {
      if (kept > 0 && place(pairs[kept - 1]) == place(pair)) {
        pairs[kept - 1].at_home += pair.at_home;
      } else {
        pairs[kept++] = pair;
      }
    }
    pairs.resize(kept);
  }

  /// The pairs of the nodes that contain those of a level, each with the best assignment inside.
  Pairs parents(const Pairs& pairs, std::size_t level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Pairs> inside;
    for (const Pair& pair : pairs) {
      const std::uint32_t from = parent(pair.from, level);
      const std::uint32_t to = parent(pair.to, level);
      if (kind_[from] == kind_[to]) inside[{from, to}].push_back(pair);
    }
    Pairs result;
    for (const auto& [nodes, its_pairs] : inside) {
      const auto& [from, to] = nodes;
      auto [at_home, children] =
          assign_children(its_pairs, index_.children(from), index_.children(to));
      inside_.emplace(key(from, to), std::move(children));
      result.push_back({from, to, at_home});
    }
    return result;
  }

  [[nodiscard]] std::uint32_t parent(std::uint32_t node, std::size_t level) const {
    return index_.path(index_.leaves_of(node).first)[level - 1];
  }

  /// Assigns nodes to nodes of the same kind. Returns how much is then at home, and the node for
  /// each.
  std::pair<std::int64_t, std::vector<std::uint32_t>> assign_children(const Pairs& pairs,
                                                                      LeafIndex::Range from,
                                                                      LeafIndex::Range to) const {
    std::map<std::uint32_t, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>>
        kinds;
    for (std::uint32_t n = from.first; n < from.last; ++n) kinds[kind_[n]].first.push_back(n);
    for (std::uint32_t n = to.first; n < to.last; ++n) kinds[kind_[n]].second.push_back(n);
    std::vector<std::uint32_t> node_for(from.size());
    std::int64_t at_home = 0;
    for (const auto& [kind, nodes] : kinds) {
      const auto& [rows, columns] = nodes;
      std::vector<AssignmentGain> gains;
      for (const Pair& pair : pairs) {
        if (kind_[pair.from] != kind || kind_[pair.to] != kind) continue;
        gains.push_back({number_in(rows, pair.from), number_in(columns, pair.to), pair.at_home});
      }
      const auto column = assign_for_gain(static_cast<std::uint32_t>(rows.size()), gains);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        node_for[rows[row] - from.first] = columns[column[row]];
      }
      for (const AssignmentGain& gain : gains) {
        if (column[gain.row] == gain.column) at_home += gain.gain;
      }
    }
    return {at_home, std::move(node_for)};
  }

  static std::uint32_t number_in(const std::vector<std::uint32_t>& nodes, std::uint32_t node) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(nodes, node) - nodes.begin());
  }

  void put(const std::vector<std::uint32_t>& node_for, LeafIndex::Range nodes) {
    std::ranges::copy(node_for, node_of_.begin() + nodes.first);
  }

  const LeafIndex& index_;
  std::vector<std::uint32_t> kind_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> inside_;
  std::vector<std::uint32_t> node_of_;
};

}  // namespace

void keep_at_home(const LeafIndex& index, std::span<const double> limits,
                  std::span<const std::uint32_t> home, std::vector<std::uint32_t>& place) {
  const std::vector<std::uint32_t> leaf_of = NestedAssignment(index, limits).run(home, place);
  for (std::uint32_t& leaf : place) leaf = leaf_of[leaf];
}

}  // namespace roam::topology
