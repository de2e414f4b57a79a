// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "roam/placement/detail/lb_recorder.hpp"
#include "roam/placement/detail/rank_places.hpp"
#include "roam/placement/distributed.hpp"
#include "roam/placement/load_graph.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {

/// What one rank tells the rank that decides. Times of work are those on a worker of speed 1.
struct RankLoads {
  static constexpr std::string_view sent_by = "phase()";  ///< in reports
  double capacity = 1;
  double phase_seconds = 0;
  double background_seconds = 0;    ///< work that no object stands for, or that cannot move (B6)
  PhaseLoads of;                    ///< the loads of its objects
  std::vector<std::uint8_t> stays;  ///< 1 for an object that cannot move now; empty: all can
  double call_scale = 1;            ///< factor by which more calls are expected than were counted
  template <class Archive>
  void serialize(Archive& archive) {
    archive(capacity, phase_seconds, background_seconds, of, stays, call_scale);
  }
};

/// The loads of all ranks as a strategy sees them. The strategy's ranks are the places of the
/// machine, in the order of the machine's tree.
struct GatheredLoads {
  LoadGraph graph;
  Machine machine;
  std::vector<std::int32_t> rank_at = {};  ///< the rank at each place; empty: rank r is at place r

  [[nodiscard]] std::int32_t rank_of(std::int32_t place) const {
    return rank_at.empty() ? place : rank_at[static_cast<std::size_t>(place)];
  }
};

/// Joins what the ranks have told into one graph. `with_links`: with the links between objects that
/// call each other; a link is left out if one of its objects is in no list, because it has ended or
/// was on its way. An object that two ranks have told of, since it moved in between, is in the
/// graph twice, its links once. The background is left out if it is too small on all ranks to
/// matter. `places`: how near the ranks are to each other, and in which order the machine's tree
/// has them; by default all are equally near. Throws roam::Error for impossible numbers (see
/// check(graph, machine)).
[[nodiscard]] GatheredLoads gather(const std::vector<RankLoads>& loads, bool with_links,
                                   const RankPlaces& places = {});

/// What a placement gains, and what its moves cost (B3). Both are times of work and of moving, and
/// of communication if that is asked for. Where it is not, communication guides where a strategy
/// puts objects but counts as no gain.
struct Prospect {
  Quality after;
  double gain_seconds = 0;
  double cost_seconds = 0;  ///< until all objects have moved; ranks move theirs at the same time
  bool is_worth_it = false;
  std::uint32_t gain_phases = 1;  ///< to come, for which the gain is predicted

  /// Expects the gain in each of so many phases to come, instead of in one.
  void expect_for(std::uint32_t phases) {
    gain_phases = phases;
    gain_seconds *= phases;
    is_worth_it = is_worth_it || (after.moved_objects > 0 && gain_seconds > cost_seconds);
  }
};

/// Compares a placement with the present one. `max_seconds`: the time of the slowest rank at
/// present. `latency_seconds`: time until the first moved object is acknowledged;
/// `move_seconds(bytes)`: time to move one object, that latency included; `counts_communication`:
/// less communication counts as a gain. Throws roam::Error for an invalid placement (see
/// check(placement)).
[[nodiscard]] Prospect prospect_of(const Placement& placement, const GatheredLoads& loads,
                                   const StrategyKind& kind, double max_seconds,
                                   double latency_seconds,
                                   const std::function<double(std::uint64_t bytes)>& move_seconds,
                                   bool counts_communication = false);

/// The objects that each rank has to move.
[[nodiscard]] std::vector<std::vector<ObjectNote>> moves_by_rank(
    const std::vector<RankLoads>& loads, const GatheredLoads& gathered, const Placement& placement);

/// What all moves of one decision together gain, cost and move. Plain bytes.
struct MovesOfAll {
  double gain_seconds = 0;
  double cost_seconds = 0;
  double work_seconds = 0;
  std::uint64_t objects = 0;
};
[[nodiscard]] MovesOfAll moves_of_all(const std::vector<std::vector<ObjectNote>>& moves,
                                      double gain_seconds, double cost_seconds);

}  // namespace roam::placement
