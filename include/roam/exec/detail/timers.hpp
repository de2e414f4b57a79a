// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/types.hpp"

namespace roam::exec {

/// Actions due at instants, earliest first; equal instants in the order added. add() from any
/// thread; run_due() by one thread at a time.
class Timers {
 public:
  void add(Instant when, std::function<void()> action);
  /// Runs the actions that are due and returns their number.
  std::size_t run_due(Instant now) { return next_due() > now ? 0 : run(now); }
  [[nodiscard]] Instant next_due() const {
    return Instant(next_due_.load(std::memory_order_acquire));
  }

 private:
  struct Entry {
    Instant when;
    std::uint64_t order;
    std::function<void()> action;
  };
  std::size_t run(Instant now);
  static bool later(const Entry& a, const Entry& b) {
    return a.when != b.when ? a.when > b.when : a.order > b.order;
  }
  core::SpinLock lock_;
  std::vector<Entry> heap_;                            // under lock_
  std::uint64_t added_ = 0;                            // under lock_
  std::atomic<std::int64_t> next_due_{never.count()};  // written under lock_
};

}  // namespace roam::exec
