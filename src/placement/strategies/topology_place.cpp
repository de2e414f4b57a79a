// SPDX-License-Identifier: Apache-2.0
#include "topology_place.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "cut.hpp"
#include "rank_work.hpp"
#include "refine.hpp"
#include "refine_comm.hpp"
#include "roam/topology/detail/mapping/map_to_tree.hpp"

namespace roam::placement {
namespace {

// Two placements are equally good if their times differ by no more than this part. Chosen: smaller
// gains of moves are lost in noise.
constexpr double least_difference = 0.005;
// With more objects than this, mapping favours speed over quality.
constexpr std::size_t most_for_care = 20'000;
// In local refinement, bytes across ranks that one byte to be moved counts as; the same as in
// strategy graph.
constexpr double migration_weight = 0.1;
// Of refinement; more take longer than all else and lead to no better placements.
constexpr std::int32_t attempts = 1;

/// The objects that may move, and their communication, in seconds on the outermost level.
struct MovableCommunication {
  std::vector<std::uint32_t> vertex;  ///< of each object that may move: its number in the graph
  std::vector<std::int32_t> home;     ///< of each vertex: its rank
  topology::CommunicationGraph graph;

  /// `whole_ranks`: one vertex for all objects of a rank, else one for each object.
  MovableCommunication(const LoadGraph& all, const Machine& machine,
                       const CommunicationTime& communication, bool whole_ranks)
      : vertex(all.size()) {
    std::vector<double> loads;
    if (whole_ranks) {
      home.resize(static_cast<std::size_t>(machine.ranks));
      std::iota(home.begin(), home.end(), 0);
      loads.resize(home.size());
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.is_pinned(i)) continue;
      if (whole_ranks) {
        vertex[i] = static_cast<std::uint32_t>(all.rank[i]);
        loads[vertex[i]] += all.seconds[i];
      } else {
        vertex[i] = static_cast<std::uint32_t>(home.size());
        home.push_back(all.rank[i]);
        loads.push_back(all.seconds[i]);
      }
    }
    std::vector<topology::Communication> communications;
    for (const Link& link : all.links) {
      if (all.is_pinned(link.a) || all.is_pinned(link.b)) continue;
      communications.push_back({vertex[link.a], vertex[link.b], communication.most_seconds(link)});
    }
    graph = topology::CommunicationGraph(static_cast<std::uint32_t>(home.size()), communications,
                                         std::move(loads));
  }
};

class TopologyPlacer {
 public:
  explicit TopologyPlacer(const TopologySettings& settings)
      : settings_(settings), refinement_{.imbalance = settings.imbalance, .attempts = attempts} {}

  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const {
    if (graph.size() == 0 || machine.ranks == 1) return graph.rank;
    if (graph.links.empty() && settings_.outside.empty())
      return refine(graph, machine, {.imbalance = settings_.imbalance});
    Placement best = graph.rank;
    Placement refined = refine_comm(graph, machine, refinement_);
    const double limit = limit_for(graph, machine, refined);
    reduce_cut(graph, machine, limit, migration_weight, refined);
    take_if_better(graph, machine, limit, std::move(refined), best);
    LoadGraph anew = graph;
    for (const bool whole_ranks : {true, false}) {
      anew.rank = map_anew(graph, machine, whole_ranks);
      take_if_better(graph, machine, limit, Placement(anew.rank), best);
      // Corrects the mapping if it exceeds the limit; this may cost communication.
      take_if_better(graph, machine, limit, refine_comm(anew, machine, refinement_), best);
    }
    return best;
  }

 private:
  /// Maps the objects that may move; the others stay where they are. `whole_ranks`: the objects of
  /// one rank stay together.
  [[nodiscard]] Placement map_anew(const LoadGraph& graph, const Machine& machine,
                                   bool whole_ranks) const {
    Placement placement = graph.rank;
    const CommunicationTime communication(machine);
    const MovableCommunication movable(graph, machine, communication, whole_ranks);
    topology::MapOptions options;
    options.imbalance = settings_.imbalance;
    options.capacities = capacity_for_movable(graph, machine);
    const double room = std::accumulate(options.capacities.begin(), options.capacities.end(), 0.0);
    if (movable.graph.entries() == 0 || !(room > 0)) return placement;
    options.effort = movable.graph.size() <= most_for_care ? topology::MappingEffort::normal
                                                           : topology::MappingEffort::fast;
    options.home = movable.home;
    const MachineTree tree = tree_of(machine).with_distances(communication.shares(graph.links));
    const topology::Mapping mapping = map_to_tree(movable.graph, tree, options);
    for (std::size_t i = 0; i < placement.size(); ++i) {
      if (!graph.is_pinned(i)) placement[i] = mapping[movable.vertex[i]];
    }
    return placement;
  }

  /// The limit of the ranks' work in seconds. If refinement does not come within `imbalance` of the
  /// mean, since objects are large and few, the limit is above what refinement reaches by that part
  /// of it: otherwise the remainder that the largest objects leave would count for more than all
  /// communication.
  [[nodiscard]] double limit_for(const LoadGraph& graph, const Machine& machine,
                                 const Placement& refined) const {
    const RankWork work(current_seconds(graph, machine), machine);
    const double limit = std::max(work.mean_seconds() * (1 + settings_.imbalance),
                                  lower_bound_seconds(graph, machine));
    const double reached =
        std::min(work.max_seconds(), assess(graph, machine, refined).max_seconds);
    return reached <= limit * (1 + 1e-9) ? limit : reached * (1 + settings_.imbalance);
  }

  /// The work that each rank can take in addition to what stays where it is.
  [[nodiscard]] static std::vector<double> capacity_for_movable(const LoadGraph& graph,
                                                                const Machine& machine) {
    const double even = lower_bound_seconds(graph, machine);
    const std::vector<double> fixed = fixed_seconds(graph, machine);
    std::vector<double> room = capacities(machine);
    for (std::size_t r = 0; r < room.size(); ++r)
      room[r] = std::max(0.0, room[r] * even - fixed[r]);
    return room;
  }

  void take_if_better(const LoadGraph& graph, const Machine& machine, double limit,
                      Placement&& offered, Placement& best) const {
    const auto costs = [&](const Placement& placement) {
      return costs_of(graph, machine, placement, settings_.outside);
    };
    if (costs(offered).are_better_than(costs(best), limit)) best = std::move(offered);
  }

  const TopologySettings& settings_;
  const RefineSettings refinement_;
};

}  // namespace

bool PlacementCosts::are_better_than(const PlacementCosts& others, double limit_seconds) const {
  const auto in_order = [limit_seconds](const PlacementCosts& costs) {
    return std::array{std::max(costs.work_seconds, limit_seconds * (1 + 1e-9)), costs.busy_seconds,
                      costs.communication_seconds, costs.moved};
  };
  const std::array<double, 4> its = in_order(*this);
  const std::array<double, 4> least = in_order(others);
  for (std::size_t i = 0; i < its.size(); ++i) {
    const double margin = i == 1 || i == 2 ? least_difference : 1e-9;
    if (its[i] > (1 + margin) * least[i]) return false;
    if (its[i] < (1 - margin) * least[i]) return true;
  }
  return false;
}

PlacementCosts costs_of(const LoadGraph& graph, const Machine& machine, const Placement& placement,
                        std::span<const OutsideLink> outside) {
  const Quality quality = assess(graph, machine, placement);
  const BusyTimes busy = busy_times(graph, machine, placement, outside);
  const double moved = graph.bytes.empty() ? static_cast<double>(quality.moved_objects)
                                           : static_cast<double>(quality.moved_bytes);
  return {quality.max_seconds, busy.max_seconds, busy.communication_seconds, moved};
}

Placement place_by_topology(const LoadGraph& graph, const Machine& machine,
                            const TopologySettings& settings) {
  return TopologyPlacer(settings).place(graph, machine);
}

}  // namespace roam::placement
