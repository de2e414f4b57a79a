// SPDX-License-Identifier: Apache-2.0
#include "near_ranks.hpp"

#include <algorithm>
#include <numeric>

namespace roam::offload {

NearRanks near_ranks(std::size_t ranks, std::span<const std::vector<std::int32_t>> groups) {
  NearRanks near;
  near.order.resize(ranks);
  std::iota(near.order.begin(), near.order.end(), std::size_t{0});
  // By the outermost level first, so that the groups of each level stand together.
  std::ranges::stable_sort(near.order, [&](std::size_t a, std::size_t b) {
    for (std::size_t level = groups.size(); level-- > 0;)
      if (groups[level][a] != groups[level][b]) return groups[level][a] < groups[level][b];
    return false;
  });
  for (const std::vector<std::int32_t>& group_of : groups) {
    std::vector<std::size_t>& ends = near.ends.emplace_back();
    for (std::size_t place = 1; place < ranks; ++place)
      if (group_of[near.order[place]] != group_of[near.order[place - 1]]) ends.push_back(place);
    ends.push_back(ranks);
  }
  near.ends.push_back({ranks});
  return near;
}

}  // namespace roam::offload
