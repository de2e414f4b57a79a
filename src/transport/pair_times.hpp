// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::transport {

/// The latest arrival under way for each pair of ranks that has one: a hash table with linear
/// probing that forgets past arrivals when it grows, so that its size depends on the traffic and
/// not on the square of the number of ranks.
class PairTimes {
 public:
  /// Returns `arrival`, or the latest arrival of the same pair if that is later, and remembers it.
  [[nodiscard]] Instant keep_order(Rank source, Rank destination, Instant arrival, Instant now) {
    if (used_ * 2 >= slots_.size()) forget_before(now);
    Slot& slot = find(static_cast<std::uint64_t>(source.index()) << 32 | destination.index());
    if (slot.arrival < arrival) slot.arrival = arrival;
    return slot.arrival;
  }

 private:
  static constexpr std::uint64_t unused = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t pair = unused;
    Instant arrival{0};
  };

  Slot& find(std::uint64_t pair);
  void forget_before(Instant now);

  std::vector<Slot> slots_;  // a power of two
  std::size_t used_ = 0;
};

}  // namespace roam::transport
