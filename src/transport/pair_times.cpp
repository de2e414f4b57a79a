// SPDX-License-Identifier: Apache-2.0
#include "transport/pair_times.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace roam::transport {

PairTimes::Slot& PairTimes::find(std::uint64_t pair) {
  const std::size_t mask = slots_.size() - 1;
  // Fibonacci hashing: consecutive ranks scatter.
  std::size_t i = static_cast<std::size_t>((pair * 0x9e3779b97f4a7c15ULL) >> 20) & mask;
  while (slots_[i].pair != pair && slots_[i].pair != unused) i = (i + 1) & mask;
  if (slots_[i].pair == unused) {
    slots_[i].pair = pair;
    ++used_;
  }
  return slots_[i];
}

void PairTimes::forget_before(Instant now) {
  const std::vector<Slot> old = std::exchange(slots_, {});
  const auto kept = static_cast<std::size_t>(std::ranges::count_if(
      old, [&](const Slot& s) { return s.pair != unused && s.arrival > now; }));
  slots_.resize(std::bit_ceil(std::max<std::size_t>(1024, kept * 4)));
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.pair != unused && slot.arrival > now) find(slot.pair).arrival = slot.arrival;
  }
}

}  // namespace roam::transport
