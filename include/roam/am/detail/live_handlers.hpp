// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/detail/spin_lock.hpp"

namespace roam::am {

class HandlerExecution;

/// The coroutine handlers of one rank that have begun and not ended. Any thread.
class LiveHandlers {
 public:
  void add(HandlerExecution* execution) ROAM_EXCLUDES(lock_);
  void remove(HandlerExecution* execution) ROAM_EXCLUDES(lock_);
  /// Called when the job ends: handlers that are still suspended free themselves. No other thread
  /// may be running.
  void abandon_all() ROAM_EXCLUDES(lock_);

 private:
  core::SpinLock lock_;
  HandlerExecution* first_ ROAM_GUARDED_BY(lock_) = nullptr;
};

}  // namespace roam::am
