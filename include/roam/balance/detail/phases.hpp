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

namespace roam::balance {

class Rebalancing;
struct Decided;
class Supersteps;
struct PhaseOverview;
struct PhaseOutlook;

/// The boundaries between the phases of a program, where a strategy may place all objects anew: the
/// time that each object's calls took since the last boundary tells, by way of the load models,
/// what the next phase will be like. One per rank. Thread-safe only in that any coroutine of the
/// rank may wait.
class Phases {
 public:
  /// `choice`: the strategy, or a policy, which may bring some (phase_strategies). `speed` of this
  /// rank's workers, 1: as the loads are meant. `seed` of the job; `network`: see BalancerOptions.
  /// Before the first step.
  Phases(Balancer& balancer, mobile::ObjectSpace& space, am::Collectives& collectives,
         mobile::Quiescence& quiescence, const PluginChoice& choice, double speed,
         std::uint64_t seed, const std::vector<NetworkLevel>* network = nullptr);
  Phases(const Phases&) = delete;
  Phases& operator=(const Phases&) = delete;
  ~Phases();

  /// Ends a phase: waits for quiescence, has the strategy place the objects if that gains more than
  /// it costs (B3), and returns when they have moved. A strategy that can be distributed decides on
  /// all ranks at once, any other on rank 0. It is asked when ranks have waited for each other for
  /// longer than it takes to decide (as measured, at first as estimated); again when the imbalance
  /// has grown beyond what it reached last, else at ever longer intervals; and ever more seldom if
  /// the phases after its decisions are not like those before them, so that what it promised does
  /// not come. To be
  /// called by every rank's main program; it counts as a collective and a quiescence. While
  /// balancing is disabled on rank 0 nothing moves (B5).
  [[nodiscard]] Task<PhaseReport> end_phase();

  /// Has the loads of this rank recorded from now on, and who calls whom. Before the first step.
  void set_recorder(std::unique_ptr<placement::LbRecorder> recorder) {
    record_calls();
    recorder_ = std::move(recorder);
  }
  /// Has rank 0 tell all ranks which job their records belong to. When the first message may go.
  void begin_recording() {
    if (recorder_ != nullptr) job_.tell();
  }
  /// Adds what came after the last boundary and writes the file. When the main program has ended.
  /// Throws Error if it cannot be written.
  void finish_recording();
  /// The same of a job that ends by an error, wherever the program stands: of what came after the
  /// last boundary, the calls that have ended. Does nothing after finish_recording(). Any thread.
  void leave_recording();

  [[nodiscard]] bool has_strategy() const;
  /// On rank 0 the phases that have ended, the first most_records of them. Any thread.
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
  [[nodiscard]] bool is_worth_deciding(const PhaseOverview& all);
  [[nodiscard]] double deciding_seconds(const PhaseOverview& all) const;
  void compare_with_promise(const PhaseReport& report);
  void note_outcome(const PhaseReport& report);
  /// On rank 0, for all.
  void decide(const std::vector<placement::RankLoads>& loads, PhaseReport& report);
  void order_moves(const Decided& decided, double imbalance);
  void on_moves(const OrderedMoves& order);
  /// On every rank, for its own.
  [[nodiscard]] Task<PhaseReport> decide_together(placement::RankLoads loads,
                                                  placement::LoadTotals totals, PhaseReport report);
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
  std::uint32_t phase_ = 0;
  Instant begin_{0};              // of the phase
  Duration worked_before_{0};     // it, by all workers
  double reached_imbalance_ = 0;  // by the last decision
  double missed_seconds_ = 0;     // what might have been gained since the last decision
  double decided_seconds_ = 0;    // what that took; 0: there was none
  std::atomic<std::uint64_t> not_started_{0};  // moves ordered since the last decision
  std::uint32_t pause_ = 0;                    // phases between two decisions that find nothing new
  std::uint32_t next_try_ = 0;                 // phase
  std::uint32_t distrust_ = 0;     // phases without a decision after a promise that was not kept
  std::uint32_t trusts_from_ = 0;  // phase
  mutable core::SpinLock records_lock_;
  std::vector<PhaseRecord> records_;  // under records_lock_
  std::unique_ptr<placement::LbRecorder> recorder_;
  JobIdentity job_;
  std::atomic<bool> has_finished_recording_{false};  // written by the main program
};

}  // namespace roam::balance
