// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/scheduler.hpp"

namespace roam::exec {

/// For one worker, whom nobody steals from: what it pushes itself takes no lock and no atomic
/// exchange. What comes from elsewhere waits under a lock until it next asks. Higher priorities
/// before; within one, in the order of the pushes, whoever made them.
class SingleScheduler final : public Scheduler {
 public:
  void push(WorkerIndex worker, ReadyItem* item) override;
  [[nodiscard]] ReadyItem* pop(WorkerIndex worker) override;
  [[nodiscard]] const ReadyCounts& ready_counts() const override { return counts_; }
  [[nodiscard]] bool keeps_push_order() const override { return true; }
  void add_to(WorkingSet& set) const override { set.add(*this); }

 private:
  void take_in_outside();

  ReadyQueue own_;  // the worker's
  ReadyCounts counts_;
  // By others, as counts_.outside:
  core::SpinLock lock_;
  ReadyQueue outside_;  // under lock_
};

}  // namespace roam::exec
