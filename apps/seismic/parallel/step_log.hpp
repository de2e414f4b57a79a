// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <roam/roam.hpp>
#include <vector>

namespace seismic {

/// Totals of a rank since the job began, at the end of a step.
struct StepFigures {
  std::int64_t step = 0;
  std::int32_t rank = 0;
  double seconds = 0.0;  ///< on the rank's clock
  double busy_seconds = 0.0;
  double idle_seconds = 0.0;
  double spawned = 0.0;  ///< number of tasks
  double offloaded = 0.0;
  double guests = 0.0;   ///< number of other ranks' tasks
  double objects = 0.0;  ///< number of subdomains and other objects here
};

/// Reports the end of a step on this rank: offloading measures its steps by it, and nobody waits.
/// Every `report_steps` steps (0: never) the rank's figures go to rank 0.
void pass_step(std::int64_t step, std::int64_t report_steps);

/// Counts the subdomains of a rank that have ended a step. Thread-safe.
class StepCounter {
 public:
  /// True for the last one of `all`.
  [[nodiscard]] bool is_last(std::int64_t step, std::int32_t all) {
    const std::lock_guard guard(mutex_);
    if (++ended_[step] < all) return false;
    ended_.erase(step);
    return true;
  }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, std::int32_t> ended_;
};

/// The figures of all ranks, on rank 0. Thread-safe.
class StepLog {
 public:
  /// Stores the figures, and prints a line when the last rank's figures of a step have come.
  void note(const StepFigures& figures, std::int32_t ranks, std::uint32_t workers);
  /// All figures, sorted by step and rank.
  [[nodiscard]] std::vector<StepFigures> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::int64_t, std::vector<StepFigures>> steps_;
  std::vector<StepFigures> before_;  // those at the last line
};

}  // namespace seismic
