// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/treematch.hpp"

namespace roam::topology {

namespace {

class Constrained {
 public:
  Constrained(const CommunicationGraph& graph, const MachineTree& tree,
              const ConstrainedTreematchOptions& options)
      : graph_(graph),
        tree_(tree),
        tries_(std::max(1U, options.tries)),
        random_(options.seed),
        part_(tree.usable_leaves().size(), none),
        mapping_(graph.size()) {}

  Mapping run() {
    // Added objects have numbers that the graph does not have.
    std::vector<std::uint32_t> objects(part_.size());
    std::iota(objects.begin(), objects.end(), 0U);
    place(objects, 0, 0);
    return std::move(mapping_);
  }

 private:
  [[nodiscard]] std::span<const CommunicationGraph::Neighbour> communication_of(
      std::uint32_t v) const {
    return v < graph_.size() ? graph_.of(v) : std::span<const CommunicationGraph::Neighbour>();
  }

  /// The algorithm's recursion: `objects` have to fill the usable leaves of a group.
  void place(const std::vector<std::uint32_t>& objects, std::size_t level, std::int32_t group) {
    if (objects.empty()) return;
    if (level == tree_.depth()) {
      if (objects.front() < mapping_.size()) mapping_[objects.front()] = group;
      return;
    }
    const TreeRange children = tree_.children(level, group);
    std::vector<std::uint32_t> sizes;
    for (std::int32_t child = children.first; child < children.last; ++child) {
      sizes.push_back(static_cast<std::uint32_t>(tree_.usable_in(level + 1, child)));
    }
    const std::vector<std::vector<std::uint32_t>> parts = best_partition(objects, sizes);
    for (std::int32_t child = children.first; child < children.last; ++child) {
      place(parts[static_cast<std::size_t>(child - children.first)], level + 1, child);
    }
  }

  std::vector<std::vector<std::uint32_t>> best_partition(const std::vector<std::uint32_t>& objects,
                                                         const std::vector<std::uint32_t>& sizes) {
    std::vector<std::vector<std::uint32_t>> best;
    double least = 0;
    const bool has_choice =
        std::ranges::count_if(sizes, [](std::uint32_t size) { return size > 0; }) > 1;
    for (std::uint32_t i = 0; i < (has_choice ? tries_ : 1); ++i) {
      auto [parts, cut] = greedy_partition(objects, sizes);
      if (!best.empty() && cut >= least) continue;
      least = cut;
      best = std::move(parts);
    }
    return best;
  }

  /// Gives each part one random object; then always adds the object that communicates most with a
  /// part that is not full.
  std::pair<std::vector<std::vector<std::uint32_t>>, double> greedy_partition(
      const std::vector<std::uint32_t>& objects, const std::vector<std::uint32_t>& sizes) {
    const std::size_t count = sizes.size();
    std::vector<std::vector<std::uint32_t>> parts(count);
    std::vector<std::uint32_t> left = objects;
    std::vector<double> communication(objects.size() * count, 0);
    std::vector<std::size_t> row(objects.size());
    local_.resize(part_.size());
    for (std::uint32_t i = 0; i < objects.size(); ++i) {
      local_[objects[i]] = i;
      part_[objects[i]] = unassigned;
    }
    double inside = 0;
    double total = 0;
    const auto take = [&](std::size_t at, std::size_t part) {
      const std::uint32_t v = left[at];
      inside += communication[local_[v] * count + part];
      part_[v] = none;
      parts[part].push_back(v);
      left[at] = left.back();
      left.pop_back();
      for (const auto& [u, amount] : communication_of(v)) {
        if (part_[u] != unassigned) continue;
        communication[local_[u] * count + part] += amount;
        total += amount;
      }
    };
    for (std::size_t part = 0; part < count; ++part) {
      if (sizes[part] > 0) take(random_.below(left.size()), part);
    }
    while (!left.empty()) {
      std::size_t best_at = 0;
      std::size_t best_part = count;
      double most = -1;
      for (std::size_t at = 0; at < left.size(); ++at) {
        for (std::size_t part = 0; part < count; ++part) {
          const double its = communication[local_[left[at]] * count + part];
          if (its <= most || parts[part].size() >= sizes[part]) continue;
          most = its;
          best_at = at;
          best_part = part;
        }
      }
      take(best_at, best_part);
    }
    return {std::move(parts), total - inside};
  }

  static constexpr std::uint32_t none = 0xffffffffU;
  static constexpr std::uint32_t unassigned = none - 1;
  const CommunicationGraph& graph_;
  const MachineTree& tree_;
  const std::uint32_t tries_;
  core::Random random_;
  std::vector<std::uint32_t> part_;   // unassigned: in the partition being made
  std::vector<std::uint32_t> local_;  // an object's number among those
  Mapping mapping_;
};

}  // namespace

Mapping treematch_constrained(const CommunicationGraph& graph, const MachineTree& tree,
                              const ConstrainedTreematchOptions& options) {
  if (graph.size() > tree.usable_leaves().size()) {
    throw Error("treematch: " + std::to_string(graph.size()) + " objects for " +
                std::to_string(tree.usable_leaves().size()) + " usable leaves");
  }
  return Constrained(graph, tree, options).run();
}

}  // namespace roam::topology
