// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/look_pace.hpp"

#include <algorithm>

namespace roam::balance {

void LookPace::looked(Instant begin, Duration took) {
  const Duration wait = std::min(parts * took, longest_wait);
  const Instant earliest = begin - (most_together - 1) * wait;
  const Instant by_time = std::max(next_by_time(), earliest) + wait;
  const Instant by_change = std::max(by_time, begin + std::max(wait, shortest_wait));
  next_by_time_.store(by_time.count(), std::memory_order_relaxed);
  next_by_change_.store(by_change.count(), std::memory_order_relaxed);
}

}  // namespace roam::balance
