// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/stealing_scheduler.hpp"

#include <mutex>
#include <utility>

namespace roam::exec {

namespace {

/// The first item that take(i) finds, i going once round the numbers below `count` from a random
/// start: no victim is missed, and thieves spread over them.
template <class Take>
[[gnu::always_inline]] inline ReadyItem* first_of_round(core::Random& random, std::size_t count,
                                                        Take take) {
  const std::size_t start = random.below(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (ReadyItem* const item = take((start + i) % count)) return item;
  }
  return nullptr;
}

}  // namespace

StealingScheduler::StealingScheduler(WorkerIndex workers, std::uint64_t seed, Victims victims)
    : victims_(std::move(victims)) {
  core::Random seeds(seed);
  for (WorkerIndex w = 0; w < workers; ++w) queues_.push_back(std::make_unique<Queue>(seeds()));
}

void StealingScheduler::push(WorkerIndex worker, ReadyItem* item) {
  if (worker >= queues_.size()) {
    worker = next_outside_.fetch_add(1, std::memory_order_relaxed) %
             static_cast<std::uint32_t>(queues_.size());
  }
  Queue& queue = *queues_[worker];
  const std::lock_guard guard(queue.lock);
  queue.items.push(item);
  // seq_cst: ordered before the pusher looks for sleeping workers; a worker going to sleep does the
  // reverse.
  queue.size.fetch_add(1, std::memory_order_seq_cst);
}

ReadyItem* StealingScheduler::take(Queue& queue) {
  const std::lock_guard guard(queue.lock);
  ReadyItem* const item = queue.items.pop();
  if (item != nullptr) {
    queue.size.store(queue.size.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  return item;
}

ReadyItem* StealingScheduler::pop(WorkerIndex worker) {
  Queue& own = *queues_[worker];
  if (own.size.load(std::memory_order_seq_cst) > 0) {
    if (ReadyItem* item = take(own)) return item;
  }
  if (queues_.size() == 1) return nullptr;
  return victims_.empty() ? steal(worker) : steal_near(worker);
}

ReadyItem* StealingScheduler::steal(WorkerIndex worker) {
  return first_of_round(queues_[worker]->random, queues_.size(), [&](std::size_t i) {
    Queue& victim = *queues_[i];
    const bool has_items = i != worker && victim.size.load(std::memory_order_seq_cst) > 0;
    return has_items ? take(victim) : nullptr;
  });
}

ReadyItem* StealingScheduler::steal_near(WorkerIndex worker) {
  for (const std::vector<WorkerIndex>& list : victims_[worker]) {
    ReadyItem* const item =
        first_of_round(queues_[worker]->random, list.size(), [&](std::size_t i) {
          Queue& victim = *queues_[list[i]];
          return victim.size.load(std::memory_order_seq_cst) > 0 ? take(victim) : nullptr;
        });
    if (item != nullptr) return item;
  }
  return nullptr;
}

}  // namespace roam::exec
