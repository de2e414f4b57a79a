// SPDX-License-Identifier: Apache-2.0
#include "multisection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "bisect.hpp"
#include "front.hpp"

namespace roam::topology {

namespace {

class Multisection {
 public:
  Multisection(const CommunicationGraph& graph, const LeafIndex& index,
               std::span<const double> limits, int runs, core::Random& random)
      : graph_(graph),
        index_(index),
        limits_(limits),
        runs_(runs),
        random_(random),
        local_(graph.size()),
        owner_(graph.size(), 0),
        leaf_(graph.size()) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> all(graph_.size());
    std::iota(all.begin(), all.end(), 0U);
    cut(std::move(all), index_.top());
    return std::move(leaf_);
  }

  /// Grows the groups of level 0 along the front, and divides them by cuts.
  std::vector<std::uint32_t> run_along_front() {
    const Range top = index_.top();
    std::vector<double> shares;
    for (std::uint32_t node = top.first; node < top.last; ++node) {
      shares.push_back(limit_of({node, node + 1}));
    }
    std::vector<std::vector<std::uint32_t>> groups = grow_groups(graph_, shares, random_);
    for (std::uint32_t node = top.first; node < top.last; ++node) {
      cut(std::move(groups[node - top.first]), {node, node + 1});
    }
    return std::move(leaf_);
  }

 private:
  using Range = LeafIndex::Range;

  [[nodiscard]] Range leaves_of(Range nodes) const {
    return {index_.leaves_of(nodes.first).first, index_.leaves_of(nodes.last - 1).last};
  }
  [[nodiscard]] double limit_of(Range nodes) const {
    const Range leaves = leaves_of(nodes);
    return std::accumulate(limits_.begin() + leaves.first, limits_.begin() + leaves.last, 0.0);
  }

  /// The outermost cuts cost most, and those further in depend on them.
  [[nodiscard]] int runs_for(Range nodes) const {
    return nodes.first < index_.top().last ? 4 * runs_ : runs_;
  }

  void cut(std::vector<std::uint32_t> objects, Range nodes) {
    while (nodes.size() == 1) {
      const Range inner = index_.children(nodes.first);
      if (inner.size() == 0) {
        const std::uint32_t leaf = index_.leaves_of(nodes.first).first;
        for (const std::uint32_t v : objects) leaf_[v] = leaf;
        return;
      }
      nodes = inner;
    }
    if (objects.empty()) return;
    const std::uint32_t middle = nodes.first + nodes.size() / 2;
    const Range sides[2] = {{nodes.first, middle}, {middle, nodes.last}};
    const double most[2] = {limit_of(sides[0]), limit_of(sides[1])};
    double load = 0;
    for (const std::uint32_t v : objects) load += graph_.load(v);
    const double slack = std::max(1.0, (most[0] + most[1]) / std::max(load, 1e-300));
    const double cuts = std::bit_width(leaves_of(nodes).size() - 1);
    // If the limits leave much space, a side may get all that its leaves can hold.
    const double spread = slack > 1.25 ? slack : std::pow(slack, 1 / cuts);
    SideLoads loads{};
    for (const std::size_t side : {0u, 1u}) {
      loads.target[side] = load * most[side] / (most[0] + most[1]);
      loads.most[side] = loads.target[side] * spread;
    }
    const std::vector<std::uint8_t> side =
        bisect(subgraph(objects), loads, runs_for(nodes), random_);
    std::vector<std::uint32_t> parts[2];
    for (std::size_t i = 0; i < objects.size(); ++i) parts[side[i]].push_back(objects[i]);
    objects = {};
    cut(std::move(parts[0]), sides[0]);
    cut(std::move(parts[1]), sides[1]);
  }

  [[nodiscard]] CommunicationGraph subgraph(const std::vector<std::uint32_t>& objects) {
    ++subgraphs_;
    std::vector<double> loads;
    loads.reserve(objects.size());
    std::size_t entries = 0;
    for (const std::uint32_t v : objects) entries += graph_.of(v).size();
    for (std::uint32_t i = 0; i < objects.size(); ++i) {
      local_[objects[i]] = i;
      owner_[objects[i]] = subgraphs_;
      loads.push_back(graph_.load(objects[i]));
    }
    std::vector<std::size_t> begin{0};
    std::vector<CommunicationGraph::Neighbour> rows;
    begin.reserve(objects.size() + 1);
    rows.reserve(entries);
    for (const std::uint32_t v : objects) {
      for (const auto& [u, amount] : graph_.of(v)) {
        if (owner_[u] == subgraphs_) rows.push_back({local_[u], amount});
      }
      begin.push_back(rows.size());
    }
    return CommunicationGraph::from_rows(std::move(begin), std::move(rows), std::move(loads));
  }

  const CommunicationGraph& graph_;
  const LeafIndex& index_;
  const std::span<const double> limits_;
  const int runs_;
  core::Random& random_;
  std::vector<std::uint32_t> local_;
  std::vector<std::uint32_t> owner_;
  std::vector<std::uint32_t> leaf_;
  std::uint32_t subgraphs_ = 0;
};

}  // namespace

std::vector<std::uint32_t> multisection(const CommunicationGraph& graph, const LeafIndex& index,
                                        std::span<const double> limits, int runs,
                                        core::Random& random) {
  return Multisection(graph, index, limits, runs, random).run();
}

std::vector<std::uint32_t> grow_along_front(const CommunicationGraph& graph, const LeafIndex& index,
                                            std::span<const double> limits, int runs,
                                            core::Random& random) {
  return Multisection(graph, index, limits, runs, random).run_along_front();
}

}  // namespace roam::topology
