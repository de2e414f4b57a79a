// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "roam/core/types.hpp"
#include "roam/exec/engine.hpp"

namespace roam::exec {

/// Where idle workers sleep: an event count. A worker announces itself with prepare(), looks for
/// work once more, then sleeps in wait(); a wake() after the announcement is never missed. wake()
/// costs one load if nobody sleeps.
class Parking final : public Waker {
 public:
  using Ticket = std::uint64_t;

  /// Announces that the caller is going to sleep. Must be followed by cancel() or wait().
  [[nodiscard]] Ticket prepare();
  void cancel();
  /// Sleeps until a wake() after prepare(), or for `longest`.
  void wait(Ticket ticket, Duration longest);
  /// Wakes one sleeper. Any thread.
  void wake() override;
  /// Wakes all sleepers.
  void wake_all();

 private:
  std::atomic<std::uint32_t> sleepers_{
      0};  // each sleeper adds itself; seq_cst against the queues it checks next
  std::mutex mutex_;
  std::condition_variable condition_;
  std::uint64_t tickets_ = 0;  // the number of wake-ups so far; under mutex_
};

}  // namespace roam::exec
