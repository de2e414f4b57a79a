// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "roam/am/detail/collectives.hpp"
#include "roam/balance/detail/balancer.hpp"
#include "roam/balance/detail/job_identity.hpp"
#include "roam/balance/phase_report.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/plugin_choice.hpp"
#include "roam/exec/task.hpp"
#include "roam/mobile/detail/quiescence.hpp"
#include "roam/placement/detail/gathered_loads.hpp"
#include "roam/placement/detail/lb_recorder.hpp"
#include "roam/placement/distributed.hpp"
#include "roam/placement/strategy.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::balance {

class DecisionTimes;
class PutOffMoves;
class Rebalancing;
struct Decided;
class Supersteps;
class WaitHistory;
struct PhaseOverview;
struct PhaseOutlook;

/// The boundaries between the phases of a program, where a strategy may place all objects anew. The
/// load models predict the next phase from the time that each object's calls took since the last
/// boundary. One per rank. Any coroutine of the rank may wait; otherwise not thread-safe.
class Phases {
 public:
  /// `choice`: a strategy, or a policy that has strategies for phases (phase_strategies). `speed`:
  /// that of this rank's workers, 1 being that for which loads are meant. `seed`: of the job;
  /// `network`, `location`: see BalancerOptions. Must be made before the first step.
  Phases(Balancer& balancer, mobile::ObjectSpace& space, am::Collectives& collectives,
         mobile::Quiescence& quiescence, const PluginChoice& choice, double speed,
         std::uint64_t seed, const std::vector<NetworkLevel>* network = nullptr,
         const topology::RankLocation& location = {});
  Phases(const Phases&) = delete;
  Phases& operator=(const Phases&) = delete;
  ~Phases();

  /// Ends a phase: waits for quiescence, lets the strategy place the objects if that gains more
  /// than it costs (B3), and returns when they have moved. A distributed strategy decides on all
  /// ranks at once, any other on rank 0, which may leave parts of it to other ranks. The strategy
  /// is asked when ranks have waited for each other for longer than a decision takes (as measured;
  /// the first time as estimated). It is asked again when the imbalance exceeds what the last
  /// decision reached, and otherwise at growing intervals. Moves that cost more than they gain in
  /// one phase are put off until they would have gained as much in the phases since. If decisions
  /// do not bring what they promised, because phases differ too much from those before, it is asked
  /// less and less often.
  /// To be called by every rank's main program; it counts as a collective and a quiescence. While
  /// balancing is disabled on rank 0 nothing moves (B5).
  [[nodiscard]] Task<PhaseReport> end_phase();

  /// Records the loads of this rank, and who calls whom, from now on. Must be called before the
  /// first step.
  void set_recorder(std::unique_ptr<placement::LbRecorder> recorder) {
    record_calls();
    recorder_ = std::move(recorder);
  }
  /// Lets rank 0 tell all ranks which job their records belong to. May be called as soon as
  /// messages can be sent.
  void begin_recording() {
    if (recorder_ != nullptr) job_.tell();
  }
  /// Adds what came after the last boundary and writes the file. To be called when the main program
  /// has ended. Throws Error if the file cannot be written.
  void finish_recording();
  /// Does the same for a job that ends by an error at any point of the program: of what came after
  /// the last boundary, it records the calls that have ended. Does nothing after
  /// finish_recording(). Any thread.
  void leave_recording();

  [[nodiscard]] bool has_strategy() const;
  /// On rank 0 the records of phases, at most the first most_records. Any thread.
  [[nodiscard]] std::vector<PhaseRecord> records() const {
    const std::lock_guard guard(records_lock_);
    return records_;
  }
  static constexpr std::size_t most_records = 1'000'000;

 private:
  struct OwnLoads;
  struct OrderedMoves;
  void record_calls();
  [[nodiscard]] OwnLoads take_loads();
  void keep_record(const PhaseReport& report);
  void count_bytes(placement::PhaseLoads& loads);
  [[nodiscard]] PhaseOverview overview_of(const OwnLoads& own) const;
  [[nodiscard]] static placement::LoadTotals totals_of(const placement::RankLoads& loads,
                                                       const std::vector<double>& of);
  [[nodiscard]] static double waits_of(const PhaseOverview& all);
  [[nodiscard]] bool needs_calls(double waits) const;
  [[nodiscard]] bool is_worth_deciding(const PhaseOverview& all);
  [[nodiscard]] double deciding_seconds(const PhaseOverview& all) const;
  [[nodiscard]] std::uint32_t phases_with(double gain, double kept_gain) const;
  void note_outcome(const PhaseReport& report);
  /// Called on rank 0: decides for all ranks.
  void decide(const std::vector<placement::RankLoads>& loads, PhaseReport& report);
  /// Called on every rank: decides for all ranks, each part of the decision on one of them. `loads`
  /// and `report` count on rank 0.
  [[nodiscard]] Task<PhaseReport> decide_in_parts(const placement::PartedStrategy& strategy,
                                                  std::vector<placement::RankLoads> loads,
                                                  PhaseReport report);
  /// Called on rank 0: reports what was decided, and orders the moves.
  void carry_out(const Decided& decided, PhaseReport& report);
  void order_moves(const Decided& decided, double imbalance);
  void on_moves(const OrderedMoves& order);
  /// Called on every rank: decides for its own objects.
  [[nodiscard]] Task<PhaseReport> decide_together(placement::RankLoads loads,
                                                  placement::LoadTotals totals, PhaseReport report);
  /// Called on every rank: the time of the slowest rank in the next phase, if the moves put off
  /// were carried out.
  [[nodiscard]] Task<double> max_seconds_put_off(const placement::RankShare& share);
  [[nodiscard]] PhaseOutlook outlook_of(const placement::DistributedStrategy::Result& result) const;
  void move(const std::vector<placement::ObjectNote>& notes, const placement::MovesOfAll& all,
            double imbalance);

  Balancer& balancer_;
  mobile::ObjectSpace& space_;
  am::Collectives& collectives_;
  mobile::Quiescence& quiescence_;
  const double speed_;
  const std::unique_ptr<Rebalancing> rebalancing_;
  std::unique_ptr<Supersteps> steps_;  // of strategies that can be distributed
  const std::unique_ptr<WaitHistory> waits_;
  const std::unique_ptr<PutOffMoves> put_off_;
  const std::unique_ptr<DecisionTimes> times_;
  std::uint32_t phase_ = 0;
  bool counts_communication_ = false;  // the strategy asked last gains by less communication
  Instant begin_{0};                   // start of the phase
  Duration worked_before_{0};          // time worked before the phase, by all workers
  std::atomic<std::uint64_t> not_started_{0};  // moves ordered since the last decision
  mutable core::SpinLock records_lock_;
  std::vector<PhaseRecord> records_;  // under records_lock_
  std::unique_ptr<placement::LbRecorder> recorder_;
  JobIdentity job_;
  std::atomic<bool> has_finished_recording_{false};  // written by the main program
};

}  // namespace roam::balance
