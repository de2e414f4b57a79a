// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "roam/balance/distributed.hpp"
#include "roam/balance/lb_recorder.hpp"
#include "roam/balance/load.hpp"
#include "roam/balance/load_graph.hpp"
#include "roam/mobile/resident_view.hpp"

namespace roam::balance {

/// What one rank tells the rank that decides. Times of work are those of a worker of speed 1.
struct RankLoads {
  double capacity = 1;
  double phase_seconds = 0;
  double background_seconds = 0;    ///< work that no object stands for, or that cannot move (B6)
  PhaseLoads of;                    ///< its objects
  std::vector<std::uint8_t> stays;  ///< 1 for an object that cannot move now; empty: all can
  double call_scale = 1;            ///< so many calls are expected for each that was counted
  template <class Archive>
  void serialize(Archive& archive) {
    archive(capacity, phase_seconds, background_seconds, of, stays, call_scale);
  }
};

/// The loads of all ranks, by rank, as a strategy sees them.
struct GatheredLoads {
  LoadGraph graph;
  Machine machine;
};

/// Where an object is in the problem. Throws roam::Error that names its class if that has no
/// coordinates().
[[nodiscard]] std::array<double, 3> coordinates_of(const mobile::ResidentView& object);

/// `with_links`: who calls whom, too; not if nobody has told of one of the two: it has ended, or
/// was on its way. What was told by two ranks, as it moved in between, is there twice, its links
/// once. A background of all ranks that is not worth looking at is left out. Throws roam::Error for
/// numbers that cannot be (check(graph, machine)).
[[nodiscard]] GatheredLoads gather(const std::vector<RankLoads>& loads, bool with_links);

/// Predicted time until all have moved that a placement moves: ranks do so at the same time, and
/// the one with most to move ends last. `latency_seconds`: until the answer to the first has come;
/// `move_seconds(bytes)`: of one object, that latency included.
[[nodiscard]] double cost_seconds(const LoadGraph& graph, const Placement& placement,
                                  const Machine& machine, double latency_seconds,
                                  const std::function<double(std::uint64_t bytes)>& move_seconds);

/// What each rank has to move.
[[nodiscard]] std::vector<std::vector<ObjectNote>> moves_by_rank(
    const std::vector<RankLoads>& loads, const LoadGraph& graph, const Placement& placement);

/// To move what a strategy has placed; gain, cost and reason are whoever's who carries it out.
[[nodiscard]] Decision decision_of(const ObjectNote& note);

}  // namespace roam::balance
