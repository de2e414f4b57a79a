// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/detail/thread_tag.hpp"
#include "roam/exec/engine.hpp"

namespace roam::am {

/// Which thread has an endpoint that admits one at a time. Meets Lockable except for lock(): a
/// thread that does not get the endpoint at once leaves its message to the thread that has it.
class ROAM_CAPABILITY("endpoint") EndpointLock {
 public:
  /// `main_thread_only`: the endpoint admits only the thread that calls this.
  explicit EndpointLock(bool main_thread_only)
      : main_thread_only_(main_thread_only), main_thread_(core::this_thread_tag()) {}
  EndpointLock(const EndpointLock&) = delete;
  EndpointLock& operator=(const EndpointLock&) = delete;

  /// False if another thread has the endpoint, or this one must not have it.
  [[nodiscard]] bool try_lock() ROAM_TRY_ACQUIRE(true) ROAM_NO_THREAD_SAFETY_ANALYSIS {
    if (main_thread_only_ && core::this_thread_tag() != main_thread_) return false;
    return lock_.try_lock();
  }
  /// The same without checking which thread this is, so that it may be inlined into a coroutine:
  /// false also if only the main thread may have the endpoint.
  [[nodiscard]] bool try_lock_on_any_thread()
      ROAM_TRY_ACQUIRE(true) ROAM_NO_THREAD_SAFETY_ANALYSIS {
    return !main_thread_only_ && lock_.try_lock();
  }
  void unlock() ROAM_RELEASE() ROAM_NO_THREAD_SAFETY_ANALYSIS { lock_.unlock(); }

  /// Marks the endpoint as used by poll() for a scope, and releases it at the end: what is sent
  /// meanwhile leaves at once. Takes over a lock that is held.
  class ROAM_SCOPED_CAPABILITY Polling {
   public:
    explicit Polling(EndpointLock& lock) ROAM_REQUIRES(lock) : lock_(lock) {
      lock.poller_.store(exec::detail::current_context, std::memory_order_relaxed);
    }
    ~Polling() ROAM_RELEASE() {
      lock_.poller_.store(nullptr, std::memory_order_relaxed);
      lock_.unlock();
    }
    Polling(const Polling&) = delete;
    Polling& operator=(const Polling&) = delete;

   private:
    EndpointLock& lock_;
  };
  /// True inside poll() on this thread, which has the endpoint already: none of its messages wait
  /// in the outbox.
  [[nodiscard]] bool is_polling_here() const {
    const exec::Context* const self = exec::detail::current_context;
    return self != nullptr && poller_.load(std::memory_order_relaxed) == self;
  }

 private:
  const bool main_thread_only_;
  const core::ThreadTag main_thread_;
  core::SpinLock lock_;
  std::atomic<const exec::Context*> poller_{nullptr};  // the context whose poll() has the lock
};

}  // namespace roam::am
