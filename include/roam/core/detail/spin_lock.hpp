// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "roam/core/detail/thread_annotations.hpp"

namespace roam::core {

/// A one-byte lock for critical sections of a few dozen instructions. Meets Lockable. Yields when
/// contended, so that an oversubscribed machine makes progress.
class ROAM_CAPABILITY("spin lock") SpinLock {
 public:
  void lock() ROAM_ACQUIRE() {
    if (!try_lock()) lock_contended();
  }
  [[nodiscard]] bool try_lock() ROAM_TRY_ACQUIRE(true) {
    // Looking before exchanging leaves the cache line with the holder while the lock is held.
    return !held_.load(std::memory_order_relaxed) &&
           !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() ROAM_RELEASE() { held_.store(false, std::memory_order_release); }

 private:
  [[gnu::noinline]] void lock_contended() ROAM_ACQUIRE() {
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

/// std::lock_guard with annotations by which Clang sees that the lock is held.
template <class Lock>
class ROAM_SCOPED_CAPABILITY LockGuard {
 public:
  explicit LockGuard(Lock& lock) ROAM_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
  /// Takes over a lock that is held.
  LockGuard(Lock& lock, std::adopt_lock_t) ROAM_REQUIRES(lock) : lock_(lock) {}
  ~LockGuard() ROAM_RELEASE() { lock_.unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  Lock& lock_;
};

}  // namespace roam::core
