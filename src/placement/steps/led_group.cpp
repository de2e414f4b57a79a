// SPDX-License-Identifier: Apache-2.0
#include "led_group.hpp"

#include "../amount.hpp"
#include "roam/core/error.hpp"

namespace roam::placement {

void LedGroup::begin() {
  speeds_.assign(static_cast<std::size_t>(job_.places().size()), 1);
  fixed_.assign(speeds_.size(), 0);
}

void LedGroup::add_rank(Rank rank, double capacity, double fixed_seconds) {
  if (!is_amount(fixed_seconds) || !is_amount(capacity) || capacity == 0)
    throw MalformedMessage("impossible loads");
  const std::size_t member = job_.member(rank);
  speeds_[member] = capacity;
  fixed_[member] = fixed_seconds;
}

}  // namespace roam::placement
