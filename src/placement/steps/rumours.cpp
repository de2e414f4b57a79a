// SPDX-License-Identifier: Apache-2.0
#include "rumours.hpp"

#include <algorithm>

namespace roam::placement {

bool Rumours::hear(std::span<const Rumour> others, core::Random& random) {
  const std::size_t before = list_.size();
  list_.insert(list_.end(), others.begin(), others.end());
  std::ranges::stable_sort(list_, {}, &Rumour::rank);
  const auto same_rank = [](const Rumour& a, const Rumour& b) { return a.rank == b.rank; };
  list_.erase(std::unique(list_.begin(), list_.end(), same_rank), list_.end());
  const bool has_grown = list_.size() > before;
  if (list_.size() > most_) {
    for (std::size_t i = 0; i < most_; ++i) {  // shuffles the first most_ entries
      std::swap(list_[i], list_[i + random.below(list_.size() - i)]);
    }
    list_.resize(most_);
    std::ranges::sort(list_, {}, &Rumour::rank);
  }
  return has_grown;
}

Rumour* Rumours::choose(double seconds, double limit, double mean, core::Random& random) {
  double scale = mean;
  for (const Rumour& rumour : list_) scale = std::max(scale, rumour.seconds);
  const auto weight = [&](const Rumour& rumour) {
    const bool fits = rumour.seconds + seconds / rumour.capacity <= limit;
    return fits && scale > 0 ? 1 - rumour.seconds / scale : 0;
  };
  double sum = 0;
  for (const Rumour& rumour : list_) sum += weight(rumour);
  if (sum <= 0) return nullptr;
  double at = random.unit() * sum;
  Rumour* chosen = nullptr;
  for (Rumour& rumour : list_) {
    const double part = weight(rumour);
    if (part <= 0) continue;
    chosen = &rumour;
    at -= part;
    if (at < 0) break;
  }
  return chosen;
}

}  // namespace roam::placement
