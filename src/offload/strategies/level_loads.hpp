// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// The load of one rank in a step, for level_loads(). Seconds are those of a worker.
struct RankLoad {
  double workers = 1;
  double load_seconds = 0;        ///< its own work, including tasks, without offloading
  double task_seconds = 0;        ///< reduction of its load per task given away
  double guest_task_seconds = 0;  ///< load that one of its tasks causes elsewhere
  std::uint32_t may_go = 0;       ///< number of tasks that it may give away
  bool may_take = true;
};

/// Quotas between ranks, chosen so that the longest time of any rank is minimal: the level up to
/// which all ranks are filled. Ranks above it give tasks to ranks below it in the order of ranks,
/// so that no two edges cross: neighbours serve each other where possible, and there are fewer
/// edges than ranks. O(ranks).
struct LevelledLoads {
  double before_seconds = 0;  ///< longest time of a rank without offloading
  /// Longest time with `quotas`; at most a hundred-thousandth above the minimum.
  double after_seconds = 0;
  std::vector<Quota> quotas;
};
[[nodiscard]] LevelledLoads level_loads(const std::vector<RankLoad>& ranks);

}  // namespace roam::offload
