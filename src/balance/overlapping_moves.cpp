// SPDX-License-Identifier: Apache-2.0
#include "overlapping_moves.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace roam::balance {

namespace {

// Moves that are counted together, at most. Chosen: the cost model remembers about 32.
constexpr std::size_t most_together = 64;

}  // namespace

bool is_by_strategy(const Decision& decision) { return decision.stay_seconds < 0; }

void add_overlapping(placement::CostModel& costs, const std::vector<Decision>& decisions,
                     Instant now) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t bytes = 0;
  Instant begin = now;
  double alone_seconds = 0;
  for (std::size_t i = decisions.size(); i > 0 && sizes.size() < most_together; --i) {
    const Decision& one = decisions[i - 1];
    if (!is_by_strategy(one) || one.outcome != Decision::Outcome::moved) continue;
    if (!sizes.empty() && one.when + from_seconds(one.move_seconds) <= begin) break;
    begin = std::min(begin, one.when);
    alone_seconds = one.move_seconds;
    bytes += one.bytes;
    sizes.push_back(one.bytes);
  }
  if (sizes.size() == 1) return costs.add(bytes, alone_seconds);
  const double latency = costs.round_trip_seconds();
  const double transfers = std::max(0.0, seconds(now - begin) - latency);
  for (const std::uint64_t size : sizes) {
    const double part =
        static_cast<double>(size) / static_cast<double>(std::max<std::uint64_t>(bytes, 1));
    costs.add(size, latency + transfers * part);
  }
}

}  // namespace roam::balance
