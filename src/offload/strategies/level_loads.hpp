// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// What one rank has to do in a step, for level_loads(). Seconds are a worker's.
struct RankLoad {
  double workers = 1;
  double load_seconds = 0;        ///< of its own work, tasks and all, without offloading
  double task_seconds = 0;        ///< what a task given away is less to do here
  double guest_task_seconds = 0;  ///< what one of its tasks is to do elsewhere
  std::uint32_t may_go = 0;       ///< tasks it may give away
  bool may_take = true;
};

/// Who gives how many tasks to whom, so that the longest time of a rank is least, and the time that
/// is predicted: the level to which all fill up. Ranks above it give tasks to ranks below it in the
/// order of ranks, so that no two edges cross: neighbours serve each other where they can, and
/// there are fewer edges than ranks. O(ranks).
struct LevelledLoads {
  double before_seconds = 0;  ///< the longest of a rank without offloading
  double after_seconds = 0;   ///< with `quotas`; at most a hundred-thousandth more than need be
  std::vector<Quota> quotas;
};
[[nodiscard]] LevelledLoads level_loads(const std::vector<RankLoad>& ranks);

}  // namespace roam::offload
