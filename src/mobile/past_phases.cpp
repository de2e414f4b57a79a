// SPDX-License-Identifier: Apache-2.0
#include "mobile/past_phases.hpp"

#include <algorithm>
#include <iterator>

namespace roam::mobile {

void PastPhases::add(const Key& key) {
  const auto& [number, type] = key;
  auto next = last_of_.upper_bound({type, number});
  auto range = next;
  const bool follows = next != last_of_.begin() && (--range)->first.first == type && number > 0 &&
                       range->second >= number - 1;
  if (follows) {
    range->second = std::max(range->second, number);
  } else {
    range = last_of_.emplace_hint(next, std::pair(type, number), number);
  }
  if (next != last_of_.end() && next->first == std::pair(type, range->second + 1)) {
    range->second = next->second;
    last_of_.erase(next);
  }
  if (last_of_.size() > most_ranges) last_of_.erase(last_of_.begin());
}

bool PastPhases::contains(const Key& key) const {
  const auto& [number, type] = key;
  const auto next = last_of_.upper_bound({type, number});
  if (next == last_of_.begin()) return false;
  const auto& [first, last] = *std::prev(next);
  return first.first == type && number <= last;
}

}  // namespace roam::mobile
