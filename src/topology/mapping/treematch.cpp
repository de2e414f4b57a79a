// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/treematch.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "coarsen.hpp"
#include "roam/core/error.hpp"

namespace roam::topology {

namespace {

/// A possible group, and its communication with other objects.
struct Candidate {
  double outside;
  std::vector<std::uint32_t> members;
};

/// Determines which objects of a graph form groups of one size.
class Grouping {
 public:
  Grouping(const CommunicationGraph& graph, std::uint32_t arity)
      : graph_(graph), arity_(arity), communication_(graph.size(), 0), to_group_(graph.size(), 0) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const auto& [u, amount] : graph.of(v)) communication_[v] += amount;
    }
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const auto& [u, amount] : graph.of(v)) {
        if (u > v) candidates_.push_back(grown(v, u));
      }
    }
    std::ranges::stable_sort(candidates_, {}, &Candidate::outside);
  }

  /// Chooses independent groups greedily from the sorted list, the best of several starts; then
  /// groups of what is left, in order.
  Clusters choose(std::uint32_t tries) const {
    Clusters best;
    double least = 0;
    const std::size_t starts = std::min<std::size_t>(std::max(1U, tries), candidates_.size() + 1);
    for (std::size_t start = 0; start < starts; ++start) {
      auto [made, outside] = from(start);
      if (best.of.empty() || outside < least) {
        least = outside;
        best = std::move(made);
      }
    }
    return best;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffU;

  Candidate grown(std::uint32_t v, std::uint32_t u) {
    Candidate candidate{0, {v, u}};
    double inside = 0;
    std::vector<std::uint32_t> near;
    const auto add = [&](std::uint32_t member) {
      inside += to_group_[member];
      for (const auto& [w, amount] : graph_.of(member)) {
        if (to_group_[w] == 0) near.push_back(w);
        to_group_[w] += amount;
      }
    };
    add(v);
    add(u);
    while (candidate.members.size() < arity_) {
      std::uint32_t next = none;
      for (const std::uint32_t w : near) {
        if (std::ranges::find(candidate.members, w) != candidate.members.end()) continue;
        if (next == none || to_group_[w] > to_group_[next]) next = w;
      }
      if (next == none) break;
      candidate.members.push_back(next);
      add(next);
    }
    for (const std::uint32_t w : near) to_group_[w] = 0;
    for (const std::uint32_t member : candidate.members)
      candidate.outside += communication_[member];
    candidate.outside -= 2 * inside;
    return candidate;
  }

  std::pair<Clusters, double> from(std::size_t start) const {
    Clusters made{std::vector<std::uint32_t>(graph_.size(), none), 0};
    double outside = 0;
    const auto offer = [&](const Candidate& candidate) {
      if (candidate.members.size() < arity_) return;
      for (const std::uint32_t v : candidate.members) {
        if (made.of[v] != none) return;
      }
      for (const std::uint32_t v : candidate.members) made.of[v] = made.count;
      ++made.count;
      outside += candidate.outside;
    };
    for (std::size_t i = start; i < candidates_.size(); ++i) offer(candidates_[i]);
    for (std::size_t i = 0; i < std::min(start, candidates_.size()); ++i) offer(candidates_[i]);
    std::uint32_t filled = 0;
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      if (made.of[v] != none) continue;
      outside += communication_[v];
      made.of[v] = made.count;
      if (++filled % arity_ == 0) ++made.count;
    }
    return {std::move(made), outside};
  }

  const CommunicationGraph& graph_;
  const std::uint32_t arity_;
  std::vector<double> communication_;
  std::vector<double> to_group_;
  std::vector<Candidate> candidates_;
};

/// The tree's arities from the root down, factorised into primes; then the number of objects on a
/// leaf.
std::vector<std::uint32_t> arities_of(const MachineTree& tree, std::uint32_t objects) {
  if (!tree.is_regular() ||
      tree.usable_leaves().size() != static_cast<std::size_t>(tree.leaves())) {
    throw Error(
        "treematch: every level of the tree must have one arity, and all leaves must be usable; "
        "use "
        "treematch_constrained or map_to_tree");
  }
  std::vector<std::uint32_t> arities;
  const auto add = [&arities](std::uint32_t arity) {
    for (std::uint32_t prime = 2; arity > 1; ++prime) {
      for (; arity % prime == 0; arity /= prime) arities.push_back(prime);
    }
  };
  for (std::size_t level = 0; level < tree.depth(); ++level) {
    add(static_cast<std::uint32_t>(*tree.arity(level)));
  }
  const auto leaves = static_cast<std::uint32_t>(tree.leaves());
  const std::uint32_t on_leaf = (objects + leaves - 1) / leaves;
  if (on_leaf > 1) arities.push_back(on_leaf);
  return arities;
}

/// The graph with objects added, up to `size`, that do not communicate.
CommunicationGraph padded(const CommunicationGraph& graph, std::size_t size) {
  std::vector<std::size_t> begin{0};
  std::vector<CommunicationGraph::Neighbour> rows;
  for (std::uint32_t v = 0; v < size; ++v) {
    if (v < graph.size()) rows.insert(rows.end(), graph.of(v).begin(), graph.of(v).end());
    begin.push_back(rows.size());
  }
  return CommunicationGraph::from_rows(std::move(begin), std::move(rows),
                                       std::vector<double>(size, 1.0));
}

}  // namespace

Mapping treematch(const CommunicationGraph& graph, const MachineTree& tree,
                  const TreematchOptions& options) {
  const std::vector<std::uint32_t> arities = arities_of(tree, graph.size());
  const std::size_t slots =
      std::accumulate(arities.begin(), arities.end(), std::size_t{1}, std::multiplies{});
  CommunicationGraph level = padded(graph, slots);
  std::vector<Clusters> groups;
  for (std::size_t i = arities.size(); i-- > 0;) {
    groups.push_back(Grouping(level, arities[i]).choose(options.tries));
    level = contract(level, groups.back());
  }
  // From the root down: the slot of each group, counted in groups of its level.
  std::vector<std::uint32_t> slot(1, 0);
  for (std::size_t i = 0; i < arities.size(); ++i) {
    const Clusters& made = groups[arities.size() - 1 - i];
    std::vector<std::uint32_t> inner(made.of.size());
    std::vector<std::uint32_t> next(made.count, 0);
    for (std::size_t v = 0; v < inner.size(); ++v) {
      inner[v] = slot[made.of[v]] * arities[i] + next[made.of[v]]++;
    }
    slot = std::move(inner);
  }
  const std::size_t on_leaf = slots / static_cast<std::size_t>(tree.leaves());
  Mapping mapping(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    mapping[v] = static_cast<std::int32_t>(slot[v] / on_leaf);
  }
  return mapping;
}

}  // namespace roam::topology
