// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::balance {

/// What a phase was like and what was done about it; the same on every rank.
struct PhaseReport {
  std::uint32_t phase = 0;       ///< the first is 0
  double seconds = 0;            ///< from the end of the last one's balancing to the end of this
  std::uint64_t objects = 0;     ///< of the job
  double max_load_seconds = 0;   ///< of the ranks, each with its work shared evenly by its workers
  double mean_load_seconds = 0;  ///< of the ranks
  /// max_load_seconds of the next phase if nothing moved, as the load models have it.
  double expected_max_seconds = 0;
  /// mean_load_seconds of the next phase, as the load models have it.
  double expected_mean_seconds = 0;
  double predicted_max_seconds = 0;   ///< of the next phase, after what was moved
  std::uint64_t moved_objects = 0;    ///< which live elsewhere now
  std::uint64_t refused_objects = 0;  ///< were to move and have not: the rank would not have them
  double gain_seconds = 0;            ///< predicted, of the next phase
  double cost_seconds = 0;            ///< predicted, of the moves
  double decision_seconds = 0;  ///< from quiescence until it was known what moves; 0: none was made
  double asked_seconds = 0;     ///< the same and what it took besides, but for the moves
  /// The largest load of a rank over the mean of all ranks, less 1: 0 is even.
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
