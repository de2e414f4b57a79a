// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "rank_work.hpp"

namespace roam::placement {

/// Ranks found by their slack: how much work they could take below the limit.
class RanksBySlack {
 public:
  static constexpr std::size_t none = SIZE_MAX;

  /// Contains the ranks with positive slack; with `all` the others, too.
  RanksBySlack(const RankWork& work, bool all) : work_(work), all_(all) {
    std::vector<Place> places;
    for (std::size_t r = 0; r < work.ranks(); ++r) {
      if (all || work.slack(r) > 0) places.emplace_back(work.slack(r), r);
    }
    std::ranges::sort(places);
    places_.insert(places.begin(), places.end());
  }
  [[nodiscard]] double largest() const { return places_.empty() ? 0 : places_.rbegin()->first; }
  /// The rank with the smallest slack of at least `seconds`, or none.
  [[nodiscard]] std::size_t closest(double seconds) const {
    const auto found = places_.lower_bound({seconds, 0});
    return found == places_.end() ? none : found->second;
  }
  /// The rank with most slack, or none.
  [[nodiscard]] std::size_t emptiest() const {
    return places_.empty() ? none : places_.rbegin()->second;
  }
  /// Must be called before and after every change of a rank's work.
  void take_out(std::size_t rank) { places_.erase({work_.slack(rank), rank}); }
  void put_back(std::size_t rank) {
    if (all_ || work_.slack(rank) > 0) places_.emplace(work_.slack(rank), rank);
  }

 private:
  using Place = std::pair<double, std::size_t>;
  const RankWork& work_;
  const bool all_;
  std::set<Place> places_;
};

}  // namespace roam::placement
