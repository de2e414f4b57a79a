// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/core/types.hpp"
#include "roam/exec/detail/working_set.hpp"
#include "roam/exec/ready_item.hpp"

namespace roam::exec {

/// The number of items that pop() can give, in two parts.
struct ReadyCounts {
  std::atomic<std::uint32_t> own{0};                  ///< changed by the popping thread alone
  alignas(64) std::atomic<std::uint32_t> outside{0};  ///< changed by any thread
  /// The sum of both.
  [[nodiscard]] std::uint32_t all() const {
    return own.load(std::memory_order_relaxed) + outside.load(std::memory_order_seq_cst);
  }
};

/// Holds the ready work of one rank (push and pop of PREMA's scheduler interface, figure 2). All
/// calls may come from any thread. Items are opaque; every pushed item must come out of pop exactly
/// once.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// `worker` is the pushing worker, or any other number if the push does not come from a worker.
  virtual void push(WorkerIndex worker, ReadyItem* item) = 0;
  /// The item `worker` should run next, or nullptr if no item is to be had anywhere.
  [[nodiscard]] virtual ReadyItem* pop(WorkerIndex worker) = 0;
  /// The counts of a scheduler for one worker that maintains them: while both are 0, nobody calls
  /// pop(). `outside` is increased, seq_cst, before push() returns. A scheduler that maintains no
  /// counts returns some in which `own` or `outside` is never 0: there may always be an item. By
  /// default it is `outside`: there may always be an item from outside, which the worker's own must
  /// not overtake (A2). Valid as long as the scheduler; called once.
  [[nodiscard]] virtual const ReadyCounts& ready_counts() const { return not_counted; }
  /// True if a single worker gets items of one priority in the order in which they were pushed.
  /// With a scheduler for which this is false, each source of messages needs a queue of its own to
  /// guarantee A2.
  [[nodiscard]] virtual bool keeps_push_order() const { return false; }
  /// @cond
  /// Adds the memory that nearly every turn of a worker uses of the scheduler.
  virtual void add_to(WorkingSet& /*set*/) const {}
  /// @endcond

 private:
  static inline const ReadyCounts not_counted{.own = 0, .outside = 1};
};

}  // namespace roam::exec
