// SPDX-License-Identifier: Apache-2.0
#include "wait_graph.hpp"

#include <algorithm>

namespace roam::offload {

WaitGraph::WaitGraph(const StepView& step)
    : longest_(step.ranks.size(), 0.0), waited_for_(step.ranks.size(), 0.0) {
  for (const Wait& wait : step.waits) {
    double& longest = longest_[static_cast<std::size_t>(wait.from)];
    longest = std::max(longest, double{wait.seconds});
    waited_for_[static_cast<std::size_t>(wait.to)] += wait.seconds;
  }
}

std::optional<std::int32_t> WaitGraph::critical_rank() const {
  std::optional<std::int32_t> critical;
  double most = 0;
  for (std::size_t rank = 0; rank < longest_.size(); ++rank) {
    if (longest_[rank] > 0 || waited_for_[rank] <= most) continue;
    most = waited_for_[rank];
    critical = static_cast<std::int32_t>(rank);
  }
  return critical;
}

}  // namespace roam::offload
