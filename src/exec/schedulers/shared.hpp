// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/scheduler.hpp"

namespace roam::exec {

/// One queue for all workers of a rank, so that its order holds for the whole rank. `Queue` has
/// push(item) and pop() (nullptr: empty) for one thread at a time, and `keeps_push_order`.
template <class Queue>
class SharedScheduler final : public Scheduler {
 public:
  void push(WorkerIndex /*worker*/, ReadyItem* item) override {
    const std::lock_guard guard(lock_);
    queue_.push(item);
    // seq_cst: ordered before the pusher looks for sleeping workers; a worker going to sleep does
    // the reverse.
    size_.fetch_add(1, std::memory_order_seq_cst);
  }
  [[nodiscard]] ReadyItem* pop(WorkerIndex /*worker*/) override {
    if (size_.load(std::memory_order_seq_cst) == 0) return nullptr;
    const std::lock_guard guard(lock_);
    ReadyItem* const item = queue_.pop();
    if (item != nullptr) size_.fetch_sub(1, std::memory_order_relaxed);
    return item;
  }
  [[nodiscard]] bool keeps_push_order() const override { return Queue::keeps_push_order; }

 private:
  core::SpinLock lock_;
  Queue queue_;                         // under lock_
  std::atomic<std::uint64_t> size_{0};  // changed under lock_; read by idle workers without it
};

}  // namespace roam::exec
