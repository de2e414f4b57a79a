// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/detail/ready_queue.hpp"
#include "roam/exec/scheduler.hpp"

namespace roam::exec {

/// The scheduler of a rank with one worker, from which nobody steals: what the worker pushes itself
/// takes no lock and no atomic exchange. What others push waits under a lock until the worker next
/// asks. Higher priorities first; within one, in the order of the pushes, whoever made them.
class SingleScheduler final : public Scheduler {
 public:
  void push(WorkerIndex worker, ReadyItem* item) override;
  [[nodiscard]] ReadyItem* pop(WorkerIndex worker) override;
  [[nodiscard]] const ReadyCounts& ready_counts() const override { return counts_; }
  [[nodiscard]] bool keeps_push_order() const override { return true; }
  void add_to(WorkingSet& set) const override { set.add(*this); }

 private:
  void take_in_outside();

  ReadyQueue own_;  // used by the worker alone
  ReadyCounts counts_;
  // Written by other threads, like counts_.outside:
  core::SpinLock lock_;
  ReadyQueue outside_;  // under lock_
};

}  // namespace roam::exec
