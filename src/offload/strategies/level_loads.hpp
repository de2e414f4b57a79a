// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "near_ranks.hpp"
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

/// Who gives how many tasks to whom, so that the longest time of a rank is least, and the time that
/// is predicted: the level to which all fill up. Ranks above it give tasks to ranks below it that
/// are near, those of the innermost group first, and to others only what is left: no fewer tasks
/// could cross the border of a group, but for those that do not fit as wholes. With each edge a
/// rank has given all, or its partner has no room for one more task of this length: where tasks are
/// equally long there are fewer edges than ranks. O(ranks).
struct LevelledLoads {
  double before_seconds = 0;  ///< longest time of a rank without offloading
  /// Longest time with `quotas`; at most a hundred-thousandth above the minimum.
  double after_seconds = 0;
  std::vector<Quota> quotas;
};
[[nodiscard]] LevelledLoads level_loads(const std::vector<RankLoad>& ranks, const NearRanks& near);

}  // namespace roam::offload
