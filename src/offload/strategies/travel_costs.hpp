// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// The costs of computing tasks elsewhere in addition to the computation. They are measured in
/// steps with offloading and remembered in those without, since otherwise each pause would end as
/// if offloading cost nothing; a cost that is not measured again decays slowly. Of two consecutive
/// measurements the smaller one counts, and a single one does not: the first tasks that are sent
/// use memory that is fresh from the system, which can take a hundred times as long.
class TravelCosts {
 public:
  explicit TravelCosts(std::int32_t ranks) : handling_(static_cast<std::size_t>(ranks)) {}
  void add(const StepView& step);
  /// Seconds of a worker, at each end, to send one of this rank's tasks and to receive its result.
  [[nodiscard]] double handling_seconds(std::size_t rank) const {
    return 2 * handling_[rank].value;
  }
  /// Factor by which a task takes longer elsewhere than at home, where its data are in a cache.
  [[nodiscard]] double slowdown() const { return 1 + slowdown_.value; }

 private:
  struct Cost {
    double value = 0;
    double last = -1;  // measurement in the step before; negative: none
    void measured(double now) {
      if (last >= 0) value = now < last ? now : last;
      last = now;
    }
    void not_measured();
  };
  std::vector<Cost> handling_;  // by rank: seconds to send one task
  Cost slowdown_;               // minus 1
};

}  // namespace roam::offload
