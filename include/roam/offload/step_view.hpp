// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::offload {

/// One rank's measurements of one step. Times are in seconds; those of workers are sums over the
/// rank's workers ("core time" in the paper). A plain value, sent as its bytes.
struct RankStep {
  std::int32_t rank = -1;     ///< the rank that has measured
  std::uint32_t workers = 1;  ///< of the rank
  float seconds = 0;          ///< the step's length on the rank's clock
  float idle_seconds = 0;     ///< idle time of its workers
  float busy_seconds = 0;     ///< time of its workers inside handlers and tasks, its own or others'
  float guest_seconds = 0;    ///< the part of it spent on other ranks' tasks
  /// Duration of one of its own tasks: average over recent ones or, if the program has stated costs
  /// of tasks, over those of the last step by their costs.
  float task_seconds = 0;
  float ship_seconds = 0;        ///< time of a worker to send one of them away
  std::uint32_t tasks = 0;       ///< own tasks that were spawned
  std::uint32_t computed = 0;    ///< own tasks that it has computed itself
  std::uint32_t away = 0;        ///< own tasks for which results of other ranks were used
  std::uint32_t guests = 0;      ///< tasks of other ranks that it has computed
  std::uint32_t keeps = 0;       ///< number of tasks that always stay with it (C of algorithm 2)
  std::uint32_t recomputed = 0;  ///< own tasks that were away and computed here as well
  std::uint32_t in_vain = 0;     ///< results of such tasks that came too late
  /// By how much longer the tasks `away` would have taken here than as many of `task_seconds`, by
  /// the costs that the program has stated; below 0 if they are short ones.
  float away_excess_seconds = 0;

  /// The time that its own work would have taken its workers without offloading.
  [[nodiscard]] double own_load_seconds() const;
};

/// One rank waited for another: an edge of the wait graph (definition 2).
struct Wait {
  std::int32_t from = -1;  ///< the waiting rank
  std::int32_t to = -1;    ///< the rank waited for
  float seconds = 0;       ///< time of its workers
};

/// What delayed a rank whose victim computed for others. Definition 5 of the paper knows results
/// that come late; section 8 names the others, which the paper's method does not notice.
enum class EmergencyReason : std::uint32_t {
  /// Results did not come back in time, while their rank had nothing else to do.
  late_results,
  /// The victim had no memory for a single task.
  no_memory,
  /// The victim kept other ranks waiting for its own data, longer than it does without tasks of
  /// others.
  late_own_data,
  /// The victim ran out of tasks again and again while others were on their way to it.
  congestion
};
/// How many reasons there are.
inline constexpr std::size_t emergency_reasons = 4;
/// The reason in words, for reports: "late results". In static storage.
[[nodiscard]] constexpr const char* to_string(EmergencyReason reason) {
  constexpr std::array<const char*, emergency_reasons> words = {
      "late results", "no memory", "late with its own data", "congestion"};
  return words[static_cast<std::size_t>(reason)];
}

/// Ranks were delayed by a victim (definition 5).
struct Emergency {
  std::int32_t victim = -1;  ///< the rank that computed for others, and delayed them
  std::uint32_t times = 0;   ///< in this step
  EmergencyReason reason = EmergencyReason::late_results;  ///< why
  /// The rank whose tasks were under way, for congestion, which is that of a pair of ranks; -1 for
  /// all other reasons.
  std::int32_t from = -1;
};

/// The number of one rank's tasks that another may compute in each step. A task whose cost is
/// stated counts for as many average ones (RankStep::task_seconds) as it takes.
struct Quota {
  std::int32_t from = -1;   ///< whose tasks
  std::int32_t to = -1;     ///< who computes them
  std::uint32_t tasks = 0;  ///< at most, in each step
  friend bool operator==(const Quota&, const Quota&) = default;
};

/// Tasks of one rank that were sent to another in a step, and their quota.
struct Flow {
  std::int32_t from = -1;       ///< whose tasks
  std::int32_t to = -1;         ///< who was to compute them
  std::uint32_t offloaded = 0;  ///< how many were sent
  /// The largest quota that held in this step, and what was given beside it.
  std::uint32_t allowed = 0;
  std::uint32_t on_request = 0;  ///< of those sent: given because the rank had asked for them
  /// By how much longer those sent take on their own rank than as many average ones, by the costs
  /// that the program has stated.
  float excess_seconds = 0;
};

/// A step that all ranks have reported, as strategies see it.
struct StepView {
  std::uint64_t step = 0;                  ///< number of the step, from 0
  std::span<const RankStep> ranks;         ///< by rank
  std::span<const Wait> waits;             ///< no pair twice; seconds > 0
  std::span<const Emergency> emergencies;  ///< of all ranks; no victim, reason and `from` twice
  std::span<const Flow> flows = {};        ///< pairs with a quota or tasks under way, none twice
  /// For each level of the machine's tree, innermost first (sockets, hosts, ...), the group of each
  /// rank, by rank: ranks of one group are nearer to each other than to those of others. Groups of
  /// a level hold whole groups of the one inside. None: all are equally near, or it is not known.
  /// In real runs: hosts.
  std::span<const std::vector<std::int32_t>> groups = {};
};

/// The wait graph of ranks whose steps begin together. The idle time of their workers is a
/// measurement of the wait in equation (1), since a worker that waits runs whatever task is ready.
/// All ranks wait for the rank with the least idle time, since it came last; what even that rank
/// waited is not attributed to anyone. Times below 0.95 min + 0.05 max (section 6, data
/// calibration) are not waits.
[[nodiscard]] std::vector<Wait> waits_for_the_latest(std::span<const RankStep> ranks);

/// The wait graph of ranks that have also awaited answers of single ranks during the step
/// (`awaited`, part of their idle time, no pair twice). The rest of their idle time is a wait for
/// the latest, as above. Of the awaited times, those of a worker that are below 0.05 max are not
/// waits (the same threshold with a shortest wait of 0): a call takes some time to travel.
[[nodiscard]] std::vector<Wait> measured_waits(std::span<const RankStep> ranks,
                                               std::span<const Wait> awaited);

}  // namespace roam::offload
