// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/random.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/detail/ready_queue.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/exec/scheduler.hpp"

namespace roam::exec {

/// For each worker the other ones in the order in which it looks at them for work, in lists: those
/// of one list are equally near, and an earlier list is nearer. Empty: all are equally near.
using Victims = std::vector<std::vector<std::vector<WorkerIndex>>>;

/// One queue per worker and priority; an idle worker steals the oldest item of a random victim,
/// highest priority first (PREMA 4.1.1; Blumofe and Leiserson 1999), near victims before others:
/// what they have ready has its data in caches that both share. Pushes from outside go round the
/// workers.
class StealingScheduler final : public Scheduler {
 public:
  /// `victims`: empty, or with lists that name all other workers for each worker.
  StealingScheduler(WorkerIndex workers, std::uint64_t seed, Victims victims = {});
  void push(WorkerIndex worker, ReadyItem* item) override;
  [[nodiscard]] ReadyItem* pop(WorkerIndex worker) override;
  /// Items of several workers have no order, so that an idle worker may run at once what it
  /// receives: the messages of one source wait for each other in a queue of their own.
  [[nodiscard]] const ReadyCounts& ready_counts() const override { return unordered; }
  [[nodiscard]] bool keeps_push_order() const override { return true; }

 private:
  static inline const ReadyCounts unordered{.own = 1, .outside = 0};
  struct alignas(64) Queue {
    explicit Queue(std::uint64_t seed) : random(seed) {}
    core::SpinLock lock;
    ReadyQueue items;                    // under lock
    std::atomic<std::uint32_t> size{0};  // changed under lock; read by thieves without it
    core::Random random;                 // used by the owning worker
  };
  static ReadyItem* take(Queue& queue);
  ReadyItem* steal(WorkerIndex worker);
  ReadyItem* steal_near(WorkerIndex worker);

  std::vector<core::Owned<Queue>> queues_;
  const Victims victims_;
  std::atomic<std::uint32_t> next_outside_{0};  // any outside thread; only spreads the load
};

}  // namespace roam::exec
