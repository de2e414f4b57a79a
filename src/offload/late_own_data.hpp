// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "roam/core/detail/recent_values.hpp"
#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// Finds the victims that kept other ranks waiting for their own data because they computed tasks
/// of others: section 8 of the paper, "victim ranks are given too many remote tasks. This delays
/// their actual delivery of information such as boundary data", which the ranks that have sent the
/// tasks do not notice. Waits in steps without tasks of others say how long a rank keeps others
/// waiting anyway. On rank 0; one thread at a time.
class LateOwnData {
 public:
  explicit LateOwnData(std::size_t ranks) : anyway_(ranks) {}

  /// The emergencies of a step. `waits`: those for single ranks, measured or reported, not those
  /// for whoever came last to a collective operation. `ranks`: by rank.
  [[nodiscard]] std::vector<Emergency> add(std::span<const RankStep> ranks,
                                           std::span<const Wait> waits);

 private:
  // By rank: seconds for which a worker of another rank waited longest in steps in which it
  // computed no tasks of others.
  std::vector<core::RecentValues<3>> anyway_;
};

}  // namespace roam::offload
