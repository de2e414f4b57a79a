// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// What it costs, beyond computing, that tasks are computed elsewhere. Known from steps in which
/// some were, and kept for those in which none are, or each pause would end as if it cost nothing;
/// what is not measured again is forgotten slowly. Of two measurements in a row the smaller one
/// counts, and one alone does not: the first tasks that travel use memory that is fresh from the
/// system, which can take a hundred times as long.
class TravelCosts {
 public:
  explicit TravelCosts(std::int32_t ranks) : handling_(static_cast<std::size_t>(ranks)) {}
  void add(const StepView& step);
  /// Seconds of a worker, at each end, to send one of this rank's tasks and to take in its result.
  [[nodiscard]] double handling_seconds(std::size_t rank) const {
    return 2 * handling_[rank].value;
  }
  /// How many times as long a task takes elsewhere as at home, where its data are in a cache.
  [[nodiscard]] double slowdown() const { return 1 + slowdown_.value; }

 private:
  struct Cost {
    double value = 0;
    double last = -1;  // measured in the step before; negative: nothing was
    void measured(double now) {
      if (last >= 0) value = now < last ? now : last;
      last = now;
    }
    void not_measured();
  };
  std::vector<Cost> handling_;  // by rank, seconds: of sending one
  Cost slowdown_;               // beyond 1
};

}  // namespace roam::offload
