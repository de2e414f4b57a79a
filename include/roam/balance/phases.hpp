// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roam/am/collectives.hpp"
#include "roam/balance/balancer.hpp"
#include "roam/balance/distributed.hpp"
#include "roam/balance/phase_report.hpp"
#include "roam/balance/strategy.hpp"
#include "roam/core/options.hpp"
#include "roam/exec/task.hpp"
#include "roam/mobile/quiescence.hpp"

namespace roam::balance {

class Supersteps;
struct PhaseOverview;
struct PhaseOutlook;

/// The boundaries between the phases of a program, where a strategy may place all objects anew: the
/// time that each object's calls took since the last boundary tells what the next phase will be
/// like. One per rank. Thread-safe only in that any coroutine of the rank may wait.
class Phases {
 public:
  /// `choice`: the strategy; a policy's name stands for none. `speed` of this rank's workers, 1: as
  /// the loads are meant. `seed` of the job. Before the first step.
  Phases(Balancer& balancer, mobile::ObjectSpace& space, am::Collectives& collectives,
         mobile::Quiescence& quiescence, const PluginChoice& choice, double speed,
         std::uint64_t seed);
  Phases(const Phases&) = delete;
  Phases& operator=(const Phases&) = delete;
  ~Phases();

  /// Ends a phase: waits for quiescence, has the strategy place the objects if that gains more than
  /// it costs (B3), and returns when they have moved. A strategy that can be distributed decides on
  /// all ranks at once, any other on rank 0. It is asked again when the imbalance has grown beyond
  /// what it reached last, else at ever longer intervals. To be called by every rank's main
  /// program; it counts as a collective and a quiescence. While balancing is disabled on rank 0
  /// nothing moves (B5).
  [[nodiscard]] Task<PhaseReport> end_phase();

  [[nodiscard]] bool has_strategy() const { return strategy_ != nullptr; }

 private:
  struct RankLoads;

  [[nodiscard]] RankLoads take_loads();
  [[nodiscard]] PhaseOverview overview_of(const RankLoads& loads) const;
  [[nodiscard]] bool is_worth_deciding(const PhaseOverview& all) const;
  void note_outcome(const PhaseReport& report);
  /// On rank 0, for all.
  void decide(const std::vector<RankLoads>& loads, PhaseReport& report);
  void order_moves(const std::vector<RankLoads>& loads, const LoadGraph& graph,
                   const Placement& placement, const PhaseReport& report);
  [[nodiscard]] double cost_seconds(const LoadGraph& graph, const Placement& placement,
                                    const Machine& machine) const;
  static void on_moves(void* self, am::Incoming&& message);
  /// On every rank, for its own.
  [[nodiscard]] Task<PhaseReport> decide_together(RankLoads loads, LoadTotals totals,
                                                  PhaseReport report);
  [[nodiscard]] PhaseOutlook outlook_of(const DistributedStrategy::Result& result) const;
  void move(const std::vector<ObjectNote>& notes, double gain_seconds, double imbalance);

  Balancer& balancer_;
  mobile::ObjectSpace& space_;
  am::Collectives& collectives_;
  mobile::Quiescence& quiescence_;
  const double speed_;
  const StrategyKind* kind_ = nullptr;
  std::optional<Parameters> parameters_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Supersteps> steps_;  // of a strategy that can be distributed
  std::uint32_t phase_ = 0;
  Instant begin_{0};              // of the phase
  double reached_imbalance_ = 0;  // by the last decision
  std::uint32_t pause_ = 0;       // phases between two decisions that find nothing new
  std::uint32_t next_try_ = 0;    // phase
};

}  // namespace roam::balance
