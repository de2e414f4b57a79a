// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "roam/placement/distributed.hpp"

namespace roam::balance {

/// What all ranks know about a phase before anything is decided. Plain bytes.
struct PhaseOverview {
  static constexpr std::string_view sent_by = "phase()";  // in reports
  placement::LoadTotals totals;                           ///< of the phase that ended
  placement::LoadTotals expected;                         ///< of the next one, if nothing moves
  double phase_seconds = 0;                               ///< of the slowest rank
  double links = 0;                                       ///< pairs of objects counted that call
  double least_move_seconds = 0;                          ///< to move an object without data
  double round_trip_seconds = 0;                          ///< a question and its answer
  std::uint64_t enabled = 0;                              ///< of rank 0
};

[[nodiscard]] inline placement::LoadTotals join(const placement::LoadTotals& a,
                                                const placement::LoadTotals& b) {
  return {a.objects + b.objects, a.work_seconds + b.work_seconds, a.capacity + b.capacity,
          std::max(a.max_seconds, b.max_seconds)};
}

struct JoinOverviews {
  PhaseOverview operator()(const PhaseOverview& a, const PhaseOverview& b) const {
    PhaseOverview both;
    both.totals = join(a.totals, b.totals);
    both.expected = join(a.expected, b.expected);
    both.phase_seconds = std::max(a.phase_seconds, b.phase_seconds);
    both.links = a.links + b.links;
    both.least_move_seconds = std::min(a.least_move_seconds, b.least_move_seconds);
    both.round_trip_seconds = std::min(a.round_trip_seconds, b.round_trip_seconds);
    both.enabled = a.enabled + b.enabled;
    return both;
  }
};

/// What a distributed decision is expected to achieve. Plain bytes.
struct PhaseOutlook {
  static constexpr std::string_view sent_by = "phase()";
  double max_seconds = 0;
  double cost_seconds = 0;   ///< that of the rank with most to move
  double moved_seconds = 0;  ///< work of the moving objects
  std::uint64_t moved_objects = 0;
  double busy_now = 0;   ///< with communication, of the rank that is busy longest; 0: not known
  double busy_then = 0;  ///< likewise, when all have moved
};

struct JoinOutlooks {
  PhaseOutlook operator()(const PhaseOutlook& a, const PhaseOutlook& b) const {
    return {std::max(a.max_seconds, b.max_seconds), std::max(a.cost_seconds, b.cost_seconds),
            a.moved_seconds + b.moved_seconds,      a.moved_objects + b.moved_objects,
            std::max(a.busy_now, b.busy_now),       std::max(a.busy_then, b.busy_then)};
  }
};

}  // namespace roam::balance
