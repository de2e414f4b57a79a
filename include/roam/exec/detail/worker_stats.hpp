// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::exec {

/// How one worker has spent its time; always recorded. Written by the worker, readable by any
/// thread (each figure is exact, but figures read together may differ by a step).
class WorkerStats {
 public:
  [[nodiscard]] Duration busy() const { return load(busy_); }  ///< inside handlers
  [[nodiscard]] Duration idle() const { return load(idle_); }  ///< looking for work, or asleep
  [[nodiscard]] Duration overhead() const {
    return load(overhead_);
  }  ///< scheduling, messages, balancing
  [[nodiscard]] std::uint64_t handlers_run() const {
    return handlers_.load(std::memory_order_relaxed);
  }

  void add_busy(Duration d, std::uint32_t handlers) {
    add(busy_, d), handlers_.store(handlers_run() + handlers, std::memory_order_relaxed);
  }
  void add_idle(Duration d) { add(idle_, d); }
  void add_overhead(Duration d) { add(overhead_, d); }

 private:
  using Counter = std::atomic<std::int64_t>;  // single writer: plain load and store suffice
  static Duration load(const Counter& c) { return Duration(c.load(std::memory_order_relaxed)); }
  static void add(Counter& c, Duration d) {
    c.store(c.load(std::memory_order_relaxed) + d.count(), std::memory_order_relaxed);
  }
  Counter busy_{0};
  Counter idle_{0};
  Counter overhead_{0};
  std::atomic<std::uint64_t> handlers_{0};
};

}  // namespace roam::exec
