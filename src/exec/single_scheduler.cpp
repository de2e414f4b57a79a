// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/single_scheduler.hpp"

#include <mutex>

namespace roam::exec {

void SingleScheduler::push(WorkerIndex worker, ReadyItem* item) {
  if (worker == 0) [[likely]] {
    // What others pushed before comes before it.
    if (counts_.outside.load(std::memory_order_relaxed) > 0) take_in_outside();
    own_.push(item);
    counts_.own.store(counts_.own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  const std::lock_guard guard(lock_);
  outside_.push(item);
  // seq_cst: ordered before the pusher looks for a sleeping worker; a worker going to sleep does
  // the reverse.
  counts_.outside.fetch_add(1, std::memory_order_seq_cst);
}

ReadyItem* SingleScheduler::pop(WorkerIndex /*worker*/) {
  if (counts_.outside.load(std::memory_order_seq_cst) > 0) take_in_outside();
  ReadyItem* const item = own_.pop();
  if (item != nullptr)
    counts_.own.store(counts_.own.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return item;
}

void SingleScheduler::take_in_outside() {
  const std::lock_guard guard(lock_);
  own_.append(outside_);
  counts_.own.store(counts_.own.load(std::memory_order_relaxed) +
                        counts_.outside.exchange(0, std::memory_order_relaxed),
                    std::memory_order_relaxed);
}

}  // namespace roam::exec
