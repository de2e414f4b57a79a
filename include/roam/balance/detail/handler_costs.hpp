// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "roam/mobile/detail/record.hpp"

namespace roam::balance {

/// Estimates the cost of calls for which none was announced, from calls that have run on this rank:
/// a moving average of seconds per weight for each type of handler (an interrupted call counts only
/// in part), and for each object the factor by which its calls differ from those of others
/// (Record::cost_factor, which moves with it). Any thread; O(1), no locks: of simultaneous updates
/// one may be lost.
class HandlerCosts {
 public:
  /// Estimated seconds of a call of `weight` on the object of `record`; negative if no such handler
  /// has run.
  [[nodiscard]] double estimate(std::uint32_t handler, double weight,
                                const mobile::Record& record) const;
  /// Records that such a call took `run_seconds`. Only the caller may write `record`.
  void measured(std::uint32_t handler, double weight, double run_seconds, mobile::Record& record);

 private:
  // Number of handlers that are measured individually.
  static constexpr std::size_t capacity = 512;
  // Aligned to its size, since Clang would call libatomic otherwise.
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
