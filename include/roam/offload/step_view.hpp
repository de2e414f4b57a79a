// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::offload {

/// What one rank has measured of one step. Times in seconds; those of workers are sums over the
/// rank's workers ("core time" in the paper). A plain value, sent as its bytes.
struct RankStep {
  std::int32_t rank = -1;        ///< who has measured
  std::uint32_t workers = 1;     ///< of the rank
  float seconds = 0;             ///< the step's length on the rank's clock
  float idle_seconds = 0;        ///< of its workers
  float busy_seconds = 0;        ///< of its workers, inside handlers and tasks of whomever
  float guest_seconds = 0;       ///< of these, computing other ranks' tasks
  float task_seconds = 0;        ///< one of its own tasks, on average over recent steps
  float ship_seconds = 0;        ///< sending one of them away, of its worker's time
  std::uint32_t tasks = 0;       ///< its own that were spawned
  std::uint32_t away = 0;        ///< of its own, results of other ranks that were used
  std::uint32_t guests = 0;      ///< other ranks' tasks that it has computed
  std::uint32_t keeps = 0;       ///< tasks that always stay with it (C of algorithm 2)
  std::uint32_t recomputed = 0;  ///< its own that were away, computed here as well
  std::uint32_t in_vain = 0;     ///< results of such tasks that came after that

  /// What its own work would have taken its workers without any offloading.
  [[nodiscard]] double own_load_seconds() const;
};

/// A rank waited for another: an edge of the wait graph (definition 2).
struct Wait {
  std::int32_t from = -1;  ///< who waited
  std::int32_t to = -1;    ///< for whom
  float seconds = 0;       ///< of its workers
};

/// A rank was delayed by a victim of its own (definition 5).
struct Emergency {
  std::int32_t victim = -1;  ///< the rank that computed for others, and delayed them
  std::uint32_t times = 0;   ///< in this step
};

/// Up to so many tasks of one rank may be computed by another in each step.
struct Quota {
  std::int32_t from = -1;   ///< whose tasks
  std::int32_t to = -1;     ///< who computes them
  std::uint32_t tasks = 0;  ///< at most, in each step
  friend bool operator==(const Quota&, const Quota&) = default;
};

/// Tasks of one rank that were sent to another in a step, and the quota under which they were.
struct Flow {
  std::int32_t from = -1;       ///< whose tasks
  std::int32_t to = -1;         ///< who was to compute them
  std::uint32_t offloaded = 0;  ///< how many were sent
  std::uint32_t allowed = 0;    ///< the largest quota that held in this step
};

/// What strategies see of a step that all ranks have reported.
struct StepView {
  std::uint64_t step = 0;                  ///< counts reports, from 0
  std::span<const RankStep> ranks;         ///< by rank
  std::span<const Wait> waits;             ///< no pair twice; seconds > 0
  std::span<const Emergency> emergencies;  ///< of all ranks, no victim twice
  std::span<const Flow> flows = {};        ///< pairs with a quota or tasks under way, none twice
};

/// The wait graph of ranks whose steps begin together. Their workers' idle time is the wait of
/// equation (1) measured, since a worker that waits runs whatever task is ready; everybody waits
/// for the rank that had the least of it, since it came last, and what even that one had is
/// nobody's fault. Times below 0.95 min + 0.05 max (section 6, data calibration) are no waits.
[[nodiscard]] std::vector<Wait> waits_for_the_latest(std::span<const RankStep> ranks);

}  // namespace roam::offload
