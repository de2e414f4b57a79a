// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::balance {

/// Describes a phase and what the balancer did at its end; the same on every rank.
struct PhaseReport {
  std::uint32_t phase = 0;       ///< the first is 0
  double seconds = 0;            ///< from the end of the last balancing to the end of this phase
  std::uint64_t objects = 0;     ///< in the job
  double max_load_seconds = 0;   ///< of the slowest rank, all its workers at work
  double mean_load_seconds = 0;  ///< average over the ranks
  /// max_load_seconds of the next phase if nothing moves, as the load models predict it.
  double expected_max_seconds = 0;
  /// mean_load_seconds of the next phase, as the load models predict it.
  double expected_mean_seconds = 0;
  double predicted_max_seconds = 0;   ///< of the next phase, after the moves
  std::uint64_t moved_objects = 0;    ///< objects that live on another rank now
  std::uint64_t refused_objects = 0;  ///< objects whose target refused them
  double gain_seconds = 0;            ///< predicted for the next `gain_phases` phases together
  /// How many phases to come the gain was predicted for: 1, or as many as have been measured since
  /// such a gain was first found in which it was there to be had (docs/balancing.md).
  std::uint32_t gain_phases = 1;
  double cost_seconds = 0;      ///< predicted cost of the moves
  double decision_seconds = 0;  ///< from quiescence until the moves were known; 0: no decision
  double asked_seconds = 0;     ///< decision_seconds and all else but the moves
  /// The largest load of a rank over the mean of all ranks, minus 1; 0 is perfect balance.
  [[nodiscard]] double imbalance() const {
    return mean_load_seconds > 0 ? max_load_seconds / mean_load_seconds - 1 : 0;
  }
  /// The imbalance() that the load models expect in the next phase if nothing moves.
  [[nodiscard]] double expected_imbalance() const {
    return expected_mean_seconds > 0 ? expected_max_seconds / expected_mean_seconds - 1 : 0;
  }
};

/// @cond
/// For the trace.
struct PhaseRecord {
  Instant end{0};  ///< when the next phase began
  PhaseReport report;
};
/// @endcond

}  // namespace roam::balance
