// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "awaited_ranks.hpp"
#include "deciding_ranks.hpp"
#include "helper_ranks.hpp"
#include "late_own_data.hpp"
#include "machine_groups.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/rank_tree.hpp"
#include "roam/offload/detail/guests.hpp"
#include "roam/offload/detail/home_tasks.hpp"
#include "roam/offload/detail/messages.hpp"
#include "roam/offload/detail/task_requests.hpp"
#include "roam/offload/step_view.hpp"
#include "roam/offload/strategy.hpp"
#include "step_meter.hpp"
#include "step_records.hpp"

namespace roam::offload {

/// Collects the ranks' measurements of each step up the tree of ranks, lets the strategy decide at
/// the root, and sends the quotas down. No rank waits for another: the quotas of a step arrive
/// during the next one. The n-th report of every rank belongs to the same step; a rank that has got
/// no decision for `most_undecided` steps sends no reports until it has. Thread-safe.
class Steps {
 public:
  /// `make_strategy`: on rank 0; nullptr elsewhere. `keeps_graphs`: records there have more than
  /// sums. `groups`: of a simulated machine; on a real one, ranks tell each other their hosts.
  Steps(am::Messenger& messenger, HomeTasks& tasks, Guests& guests, TaskRequests& requests,
        DecidingRanks::MakeStrategy make_strategy, bool keeps_graphs, MachineGroups groups);
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void next_step();
  void waited_for(Rank whom, Duration worker_time);
  void waited_outside_for(Rank whom, Duration worker_time);
  /// A helper is lost. Inside progress.
  void on_lost(Rank helper) { helpers_.on_lost(helper); }
  [[nodiscard]] std::uint64_t decided() const;
  /// The latest decisions, on rank 0.
  [[nodiscard]] const StepRecords& records() const { return records_; }

 private:
  static constexpr std::uint64_t most_undecided = 4;

  /// The reports of one step from this rank and those below.
  struct Gathered {
    std::vector<RankStep> ranks;
    std::vector<Wait> waits;          // reported by programs, in place of what is measured
    std::vector<Wait> awaited_waits;  // for the answers of single ranks, part of what is measured
    std::vector<Wait> outside_waits;  // added to the others
    std::vector<Emergency> emergencies;
    std::vector<Flow> flows;
    std::vector<RankHost> hosts;  // in the first step
    std::uint32_t reports = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(ranks, waits, awaited_waits, outside_waits, emergencies, flows, hosts);
    }
    void join(Gathered&& other);
  };
  /// What was decided about this rank and those below it.
  struct Verdict {
    std::vector<Quota> quotas;
    std::vector<std::int32_t> excluded;  // ranks that may not ask for tasks

    template <class Archive>
    void serialize(Archive& archive) {
      archive(quotas, excluded);
    }
  };
  void on_report(const StepReport& head, am::Incoming&& rest);
  void on_verdict(const StepVerdict& head, am::Incoming&& rest);
  void add(std::uint64_t step, Gathered&& part);
  void pass_up(std::uint64_t step, const Gathered& all);
  void decide(std::uint64_t step, Gathered&& all);
  void add_helpers(Gathered& all, bool are_waits_said);
  void bring_down(const StepVerdict& head, const Verdict& verdict);
  [[nodiscard]] Rank child_towards(Rank rank) const;

  am::Messenger& messenger_;
  HomeTasks& tasks_;
  TaskRequests& requests_;
  const core::RankTree tree_;
  AwaitedRanks awaited_;
  mutable std::mutex mutex_;
  // Under mutex_:
  StepMeter meter_;
  std::uint64_t next_step_ = 0;
  std::uint64_t decided_ = 0;  // number of steps: all earlier ones are decided
  using WaitsByRank = std::map<std::int32_t, Duration>;
  WaitsByRank said_waits_;
  WaitsByRank outside_waits_;
  std::map<std::uint64_t, Gathered> gathered_;
  // Used by the thread that completes a step; steps are decided one after the other.
  std::mutex deciding_;
  std::optional<DecidingRanks> deciders_;  // on rank 0
  StepRecords records_;
  LateOwnData late_own_data_;
  HelperRanks helpers_;
};

}  // namespace roam::offload
