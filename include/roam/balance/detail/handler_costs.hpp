// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "roam/mobile/detail/record.hpp"

namespace roam::balance {

/// What calls cost that nobody has announced, from those that have run on this rank: a moving
/// average of seconds per weight for each type of handler (one that was interrupted counts for a
/// part of its time), and for each object how much longer its
/// calls take than others' (Record::cost_factor, which moves with it). Any thread; O(1), no locks:
/// of updates at the same time one may be lost.
class HandlerCosts {
 public:
  /// Seconds of a call of `weight` on the object of `record`; negative: no such handler has run.
  [[nodiscard]] double estimate(std::uint32_t handler, double weight,
                                const mobile::Record& record) const;
  /// Such a call took `run_seconds`. The caller alone writes `record`.
  void measured(std::uint32_t handler, double weight, double run_seconds, mobile::Record& record);

 private:
  // Handlers; further ones are not measured each by itself.
  static constexpr std::size_t capacity = 512;
  // As aligned as it is large: else Clang calls libatomic for it.
  struct alignas(8) Average {
    float seconds_per_weight = 0;
    std::uint32_t samples = 0;
  };
  struct Slot {
    std::atomic<std::uint64_t> handler{0};  // its id + 1; 0: free
    std::atomic<Average> average{};
  };
  static_assert(std::atomic<Average>::is_always_lock_free);

  [[nodiscard]] const Slot* find(std::uint32_t handler) const;
  [[nodiscard]] Slot* find_or_add(std::uint32_t handler);

  std::array<Slot, capacity> slots_;
};

}  // namespace roam::balance
