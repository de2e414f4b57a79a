// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roam::offload {

/// Ranks in the order of the machine's tree, in which those of each group stand together.
struct NearRanks {
  std::vector<std::size_t> order;  ///< the rank at each place
  /// For each level, innermost first, the places at which its groups end. The outermost has one
  /// group, of all ranks.
  std::vector<std::vector<std::size_t>> ends;
};

/// `groups`: see StepView::groups. O(ranks log ranks).
[[nodiscard]] NearRanks near_ranks(std::size_t ranks,
                                   std::span<const std::vector<std::int32_t>> groups);

}  // namespace roam::offload
