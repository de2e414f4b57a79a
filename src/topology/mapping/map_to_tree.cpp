// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/mapping/map_to_tree.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "coarsen.hpp"
#include "leaf_index.hpp"
#include "load_limits.hpp"
#include "multisection.hpp"
#include "refine.hpp"
#include "roam/core/error.hpp"

namespace roam::topology {

namespace {

struct Effort {
  int bisections;  // runs of each cut
  int seeds;       // multisections to choose from
  int patience;    // of local searches
  int rounds;      // of local searches on each graph
  int cycles;      // of coarsening along the mapping and refining it again
};

Effort effort_of(MappingEffort effort) {
  switch (effort) {
    case MappingEffort::fast:
      return {1, 1, 8, 2, 0};
    case MappingEffort::normal:
      return {2, 2, 15, 4, 1};
    default:
      return {4, 4, 25, 8, 4};
  }
}

/// The graphs of a multilevel run, the finest first; clusters[i] leads from graph i to i + 1.
struct Hierarchy {
  std::vector<TalkGraph> coarse;
  std::vector<Clusters> clusters;
  void add(const TalkGraph& finest, Clusters made) {
    coarse.push_back(contract(coarse.empty() ? finest : coarse.back(), made));
    clusters.push_back(std::move(made));
  }
};

class TreeMapper {
 public:
  TreeMapper(const TalkGraph& graph, const LeafIndex& index, std::vector<double> limits,
             const Effort& effort, std::uint64_t seed)
      : graph_(graph),
        index_(index),
        limits_(std::move(limits)),
        effort_(effort),
        random_(seed),
        mean_(graph.total_load() / index.leaves()) {}

  std::vector<std::uint32_t> run() {
    Hierarchy levels = coarsen({});
    const TalkGraph& coarsest = levels.coarse.empty() ? graph_ : levels.coarse.back();
    std::vector<std::uint32_t> place = seed(coarsest);
    place = refine_upwards(levels, std::move(place));
    double cost = cost_of(place);
    for (int cycle = 0; cycle < effort_.cycles; ++cycle) {
      levels = coarsen(place);
      if (levels.coarse.empty()) break;
      std::vector<std::uint32_t> again = place;
      for (const Clusters& clusters : levels.clusters) again = on_clusters(again, clusters);
      again = refine_upwards(levels, std::move(again));
      const double reached = cost_of(again);
      if (reached > cost) continue;
      cost = reached;
      place = std::move(again);
    }
    return place;
  }

 private:
  static constexpr double clusters_per_leaf = 12;
  static constexpr std::uint32_t large = 3000;

  Hierarchy coarsen(const std::vector<std::uint32_t>& along) {
    Hierarchy levels;
    std::vector<std::uint32_t> parts = along;
    if (along.empty()) {
      Clusters stars = absorb_satellites(graph_, mean_, random_);
      if (stars.count < graph_.size() * 0.7) levels.add(graph_, std::move(stars));
      return levels;
    }
    while (true) {
      const TalkGraph& finest = levels.coarse.empty() ? graph_ : levels.coarse.back();
      const double least = clusters_per_leaf * index_.leaves();
      if (finest.size() <= std::max(1.5 * least, 60.0)) break;
      const double cap =
          std::min(mean_ / clusters_per_leaf * 1.5, 2.5 * finest.total_load() / finest.size());
      Clusters made = cluster(finest, cap, random_, parts);
      if (made.count > finest.size() * 0.95) break;
      if (!parts.empty()) parts = on_clusters(parts, made);
      levels.add(graph_, std::move(made));
    }
    return levels;
  }

  static std::vector<std::uint32_t> on_clusters(const std::vector<std::uint32_t>& place,
                                                const Clusters& clusters) {
    std::vector<std::uint32_t> result(clusters.count);
    for (std::size_t v = 0; v < place.size(); ++v) result[clusters.of[v]] = place[v];
    return result;
  }

  /// Limits that a graph's objects can keep.
  [[nodiscard]] std::vector<double> limits_for(const TalkGraph& graph) const {
    if (&graph == &graph_ || graph.size() == 0) return limits_;
    const double largest = std::ranges::max(graph.loads());
    std::vector<double> limits = limits_;
    for (double& limit : limits) limit = std::max(limit, std::max(largest, mean_ + largest / 4));
    return limits;
  }

  std::vector<std::uint32_t> seed(const TalkGraph& graph) {
    const std::vector<double> limits = limits_for(graph);
    std::vector<std::uint32_t> best;
    double least = 0;
    const bool few = graph.size() < 3 * std::size_t{index_.leaves()};
    const int cuts = few && graph.size() > large && effort_.cycles == 0 ? 0 : effort_.seeds;
    for (int i = 0; i < cuts + (few ? 1 : 0); ++i) {
      std::vector<std::uint32_t> place =
          few && i == 0 ? grow_along_front(graph, index_, limits_, effort_.bisections, random_)
                        : multisection(graph, index_, limits_, effort_.bisections, random_);
      MapState state(graph, index_, limits, std::move(place));
      refine(state);
      const double cost = state.cost();
      if (!best.empty() && cost >= least) continue;
      least = cost;
      best = state.places();
    }
    return best;
  }

  void refine(MapState& state) {
    unload(state);
    for (int round = 0; round < effort_.rounds; ++round) {
      const double gained =
          search_locally(state, effort_.patience, random_) + swap_objects(state, random_);
      if (gained <= state.epsilon()) break;
    }
  }

  std::vector<std::uint32_t> refine_upwards(const Hierarchy& levels,
                                            std::vector<std::uint32_t> place) {
    for (std::size_t i = levels.clusters.size() + 1; i-- > 0;) {
      const TalkGraph& graph = i == 0 ? graph_ : levels.coarse[i - 1];
      if (i < levels.clusters.size()) {
        std::vector<std::uint32_t> finer(graph.size());
        for (std::size_t v = 0; v < finer.size(); ++v) finer[v] = place[levels.clusters[i].of[v]];
        place = std::move(finer);
      }
      const std::vector<double> limits = limits_for(graph);
      MapState state(graph, index_, limits, std::move(place));
      refine(state);
      place = state.places();
    }
    return place;
  }

  [[nodiscard]] double cost_of(const std::vector<std::uint32_t>& place) const {
    return MapState(graph_, index_, limits_, place).cost();
  }

  const TalkGraph& graph_;
  const LeafIndex& index_;
  const std::vector<double> limits_;
  const Effort effort_;
  core::Random random_;
  const double mean_;
};

}  // namespace

Mapping map_to_tree(const TalkGraph& graph, const MachineTree& tree, const MapOptions& options) {
  const LeafIndex index(tree);
  TreeMapper mapper(graph, index, load_limits(graph, index, options.imbalance, options.capacities),
                    effort_of(options.effort), options.seed);
  const std::vector<std::uint32_t> place = mapper.run();
  Mapping mapping(place.size());
  std::ranges::transform(place, mapping.begin(),
                         [&](std::uint32_t leaf) { return index.tree_leaf(leaf); });
  return mapping;
}

}  // namespace roam::topology
