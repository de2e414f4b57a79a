// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/mapping/map_to_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "coarsen.hpp"
#include "exchange_search.hpp"
#include "leaf_index.hpp"
#include "load_limits.hpp"
#include "multisection.hpp"
#include "nested_assignment.hpp"
#include "refine.hpp"
#include "roam/core/error.hpp"

namespace roam::topology {

namespace {

struct Effort {
  int bisections;  // runs for each cut
  int seeds;       // the number of multisections to choose from
  int patience;    // of local searches: steps without gain
  int rounds;      // rounds of local searches on each graph
  int cycles;      // how often the graph is coarsened along the mapping and refined again
  int exchanges;  // of a tabu search with 64 objects, fewer with more objects; used if seeds differ
                  // in cost
};

Effort effort_of(MappingEffort effort) {
  switch (effort) {
    case MappingEffort::fast:
      return {1, 1, 8, 2, 0, 0};
    case MappingEffort::normal:
      return {2, 2, 15, 4, 1, 2000};
    default:
      return {4, 4, 25, 8, 4, 20'000};
  }
}

/// The graphs of a multilevel run, the finest first; clusters[i] leads from graph i to graph i + 1.
struct Hierarchy {
  std::vector<CommunicationGraph> coarse;
  std::vector<Clusters> clusters;
  void add(const CommunicationGraph& finest, Clusters made) {
    coarse.push_back(contract(coarse.empty() ? finest : coarse.back(), made));
    clusters.push_back(std::move(made));
  }
};

class TreeMapper {
 public:
  TreeMapper(const CommunicationGraph& graph, const LeafIndex& index, std::vector<double> limits,
             const Effort& effort, std::uint64_t seed)
      : graph_(graph),
        index_(index),
        limits_(std::move(limits)),
        effort_(effort),
        random_(seed),
        mean_(graph.total_load() / index.leaves()) {}

  std::vector<std::uint32_t> run() {
    Hierarchy levels = coarsen({});
    const CommunicationGraph& coarsest = levels.coarse.empty() ? graph_ : levels.coarse.back();
    std::vector<std::uint32_t> place = seed(coarsest);
    place = refine_upwards(levels, std::move(place));
    Quality best = quality_of(place);
    for (int cycle = 0; cycle < effort_.cycles; ++cycle) {
      levels = coarsen(place);
      if (levels.coarse.empty()) break;
      std::vector<std::uint32_t> again = place;
      for (const Clusters& clusters : levels.clusters) again = on_clusters(again, clusters);
      again = refine_upwards(levels, std::move(again));
      const Quality reached = quality_of(again);
      if (reached > best) continue;
      best = reached;
      place = std::move(again);
    }
    if (seeds_differ_ && effort_.exchanges > 0 && best.first == 0) exchange(place);
    return place;
  }

 private:
  static constexpr double clusters_per_leaf = 12;
  static constexpr std::uint32_t large = 3000;
  static constexpr std::uint32_t most_slots = 512;

  Hierarchy coarsen(const std::vector<std::uint32_t>& along) {
    Hierarchy levels;
    std::vector<std::uint32_t> parts = along;
    if (along.empty()) {
      Clusters stars = absorb_satellites(graph_, mean_, random_);
      if (stars.count < graph_.size() * 0.7) levels.add(graph_, std::move(stars));
      return levels;
    }
    while (true) {
      const CommunicationGraph& finest = levels.coarse.empty() ? graph_ : levels.coarse.back();
      const double least = clusters_per_leaf * index_.leaves();
      if (finest.size() <= std::max(1.5 * least, 60.0)) break;
      const double cap =
          std::min(mean_ / clusters_per_leaf * 1.5, 2.5 * finest.total_load() / finest.size());
      Clusters made = cluster(finest, cap, random_, parts);
      if (made.count > finest.size() * 0.95) break;
      parts = on_clusters(parts, made);
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

  /// Limits that the objects of a graph can satisfy.
  [[nodiscard]] std::vector<double> limits_for(const CommunicationGraph& graph) const {
    if (&graph == &graph_ || graph.size() == 0) return limits_;
    const double largest = std::ranges::max(graph.loads());
    std::vector<double> limits = limits_;
    for (double& limit : limits) limit = std::max(limit, std::max(largest, mean_ + largest / 4));
    return limits;
  }

  std::vector<std::uint32_t> seed(const CommunicationGraph& graph) {
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
      if (!best.empty() && std::abs(cost - least) > state.epsilon()) seeds_differ_ = true;
      if (!best.empty() && cost >= least) continue;
      least = cost;
      best = state.places();
    }
    return best;
  }

  /// If all objects have equal loads and are few, and leaves are full but within their limits:
  /// improves the mapping by a tabu search over the places on leaves.
  void exchange(std::vector<std::uint32_t>& place) {
    const double load = graph_.size() == 0 ? 0 : graph_.load(0);
    if (load <= 0 || std::ranges::any_of(graph_.loads(), [&](double l) { return l != load; }))
      return;
    std::vector<std::uint32_t> leaf_of_slot;
    for (std::uint32_t leaf = 0; leaf < index_.leaves(); ++leaf) {
      const double slots = std::floor(limits_[leaf] / load * (1 + 1e-9));
      if (slots > most_slots) return;
      leaf_of_slot.insert(leaf_of_slot.end(), static_cast<std::size_t>(slots), leaf);
    }
    const std::size_t slots = leaf_of_slot.size();
    if (slots > most_slots || slots > 2 * std::size_t{graph_.size()}) return;
    std::vector<double> distances(slots * slots);
    std::vector<std::uint32_t> next(index_.leaves(), 0);
    for (std::size_t a = 0; a < slots; ++a) {
      if (a > 0 && leaf_of_slot[a] != leaf_of_slot[a - 1]) {
        next[leaf_of_slot[a]] = static_cast<std::uint32_t>(a);
      }
      for (std::size_t b = 0; b < slots; ++b) {
        distances[a * slots + b] = index_.distance(leaf_of_slot[a], leaf_of_slot[b]);
      }
    }
    // Free places are given to objects that do not communicate.
    std::vector<std::uint32_t> slot(slots, MapState::none);
    std::vector<bool> is_taken(slots);
    for (std::size_t v = 0; v < place.size(); ++v) {
      slot[v] = next[place[v]]++;
      if (slot[v] >= slots || leaf_of_slot[slot[v]] != place[v]) return;  // one too many
      is_taken[slot[v]] = true;
    }
    std::uint32_t free = 0;
    for (std::size_t v = place.size(); v < slots; ++v) {
      while (is_taken[free]) ++free;
      slot[v] = free++;
    }
    const double size = static_cast<double>(slots) / 64;
    exchange_objects({&graph_, distances},
                     static_cast<std::uint64_t>(effort_.exchanges / std::max(1.0, size * size)),
                     random_, slot);
    for (std::size_t v = 0; v < place.size(); ++v) place[v] = leaf_of_slot[slot[v]];
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
      const CommunicationGraph& graph = i == 0 ? graph_ : levels.coarse[i - 1];
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

  /// Load beyond the limits, then cost: the smaller the better.
  using Quality = std::pair<double, double>;
  [[nodiscard]] Quality quality_of(const std::vector<std::uint32_t>& place) const {
    const MapState state(graph_, index_, limits_, place);
    double excess = 0;
    for (std::uint32_t leaf = 0; leaf < index_.leaves(); ++leaf) excess += state.excess(leaf);
    return {excess, state.cost()};
  }

  const CommunicationGraph& graph_;
  const LeafIndex& index_;
  const std::vector<double> limits_;
  const Effort effort_;
  core::Random random_;
  const double mean_;
  bool seeds_differ_ = false;
};

}  // namespace

Mapping map_to_tree(const CommunicationGraph& graph, const MachineTree& tree,
                    const MapOptions& options) {
  const LeafIndex index(tree);
  const std::vector<double> limits =
      load_limits(graph, index, options.imbalance, options.capacities);
  if (!options.home.empty() && options.home.size() != graph.size()) {
    throw Error("mapping: " + std::to_string(options.home.size()) + " homes for " +
                std::to_string(graph.size()) + " objects");
  }
  TreeMapper mapper(graph, index, limits, effort_of(options.effort), options.seed);
  std::vector<std::uint32_t> place = mapper.run();
  if (!options.home.empty()) {
    std::vector<std::uint32_t> home(place.size());
    std::ranges::transform(options.home, home.begin(), [&](std::int32_t leaf) {
      return leaf < 0 || leaf >= tree.leaves() ? index.leaves() : index.number_of(leaf);
    });
    keep_at_home(index, limits, home, place);
  }
  Mapping mapping(place.size());
  std::ranges::transform(place, mapping.begin(),
                         [&](std::uint32_t leaf) { return index.tree_leaf(leaf); });
  return mapping;
}

}  // namespace roam::topology
