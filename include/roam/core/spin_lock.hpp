// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

namespace roam::core {

/// A one-byte lock for critical sections of a few dozen instructions. Meets Lockable. Yields when
/// contended, so that an oversubscribed machine makes progress.
class SpinLock {
 public:
  void lock() {
    if (!try_lock()) lock_contended();
  }
  [[nodiscard]] bool try_lock() {
    // The look first leaves the cache line with the holder.
    return !held_.load(std::memory_order_relaxed) &&
           !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  [[gnu::noinline]] void lock_contended() {
    while (!try_lock()) {
      for (int spins = 0; held_.load(std::memory_order_relaxed); ++spins) {
        if (spins >= 64) {
          std::this_thread::yield();
          spins = 0;
        }
      }
    }
  }
  std::atomic<bool> held_{false};  // written by whoever holds or takes the lock
};

}  // namespace roam::core
