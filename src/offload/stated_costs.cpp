// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/stated_costs.hpp"

#include <utility>

#include "roam/offload/detail/recent_average.hpp"

namespace roam::offload {

void StatedCosts::note_spawned(const StatedCost& task) {
  Kind& kind = kinds_[task.kind];
  kind.step_cost += task.cost;
  ++kind.step_tasks;
}

// Long tasks count for more than short ones: what every task takes beside what its cost says
// matters least for them.
void StatedCosts::note_measured(const StatedCost& task, double seconds) {
  Kind& kind = kinds_[task.kind];
  kind.seconds = averaged(kind.seconds, seconds);
  kind.cost = averaged(kind.cost, task.cost);
}

double StatedCosts::seconds_of(const StatedCost& task) const {
  if (!task.is_stated()) return 0;
  const auto kind = kinds_.find(task.kind);
  return kind == kinds_.end() ? 0 : kind->second.seconds_of(task.cost);
}

void StatedCosts::end_step(std::uint32_t spawned, double other_seconds) {
  if (spawned == 0) return;
  std::uint32_t others = spawned;
  double sum = 0;
  for (auto& [address, kind] : kinds_) {
    const double cost = std::exchange(kind.step_cost, 0);
    const std::uint32_t tasks = std::exchange(kind.step_tasks, 0);
    const double seconds = kind.seconds_of(cost);
    if (seconds <= 0) continue;
    sum += seconds;
    others -= tasks;
  }
  mean_seconds_ = others == spawned ? 0 : (sum + others * other_seconds) / spawned;
}

}  // namespace roam::offload
