// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "near_ranks.hpp"
#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// The load of one rank in a step, for LoadLeveller. Seconds are those of a worker.
struct RankLoad {
  double workers = 1;
  double load_seconds = 0;        ///< its own work, including tasks, without offloading
  double task_seconds = 0;        ///< reduction of its load per task given away
  double guest_task_seconds = 0;  ///< load that one of its tasks causes elsewhere
  std::uint32_t may_go = 0;       ///< number of tasks that it may give away
  bool may_take = true;
  double pace = 1;  ///< factor by which tasks of others take longer here than on the average rank
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

/// Levels loads, step by step: keeps its memory from one step to the next, since getting it anew
/// for thousands of ranks would take as long as the decision. One thread at a time.
class LoadLeveller {
 public:
  LoadLeveller();
  ~LoadLeveller();
  LoadLeveller(const LoadLeveller&) = delete;
  LoadLeveller& operator=(const LoadLeveller&) = delete;

  [[nodiscard]] LevelledLoads level(const std::vector<RankLoad>& ranks, const NearRanks& near);

 private:
  class Levels;
  class Reachable;
  const std::unique_ptr<Levels> levels_;
  std::vector<double> tasks_;  // see Matching
  std::vector<double> left_;
};

}  // namespace roam::offload
