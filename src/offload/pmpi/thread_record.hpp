// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "roam/core/types.hpp"

namespace roam::offload::pmpi {

struct Communicator;

/// The calls of one thread, and what it has waited for messages. Its thread alone writes, so that
/// it needs neither a lock nor an atomic addition; others may read sums meanwhile.
class ThreadRecord {
 public:
  void count_call() { add<std::uint64_t>(calls_, 1); }
  [[nodiscard]] std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

  [[nodiscard]] bool has_slots() const { return slots_ != nullptr; }
  /// Before the first charge, while nobody reads.
  void make_slots(std::size_t ranks) { slots_ = std::make_unique<Slot[]>(ranks); }
  void charge(std::size_t world_rank, Duration waited) {
    Slot& slot = slots_[world_rank];
    add(slot.nanoseconds, std::int64_t{waited.count()});
    add<std::uint64_t>(slot.times, 1);
  }
  [[nodiscard]] Duration waited(std::size_t world_rank) const {
    return Duration(slots_[world_rank].nanoseconds.load(std::memory_order_relaxed));
  }
  [[nodiscard]] std::uint64_t times(std::size_t world_rank) const {
    return slots_[world_rank].times.load(std::memory_order_relaxed);
  }

  /// The communicator that the thread has used last, and how many had ended when it was found.
  struct Found {
    MPI_Comm handle = MPI_COMM_NULL;
    Communicator* communicator = nullptr;
    std::uint64_t ended = 0;
  };
  Found last;

 private:
  struct Slot {
    std::atomic<std::int64_t> nanoseconds{0};
    std::atomic<std::uint64_t> times{0};
  };
  // Relaxed: a sum is read after what has ordered the calls, and may lag where nothing has.
  template <class T>
  static void add(std::atomic<T>& sum, T more) {
    sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> calls_{0};
  std::unique_ptr<Slot[]> slots_;  // by rank in MPI_COMM_WORLD
};

}  // namespace roam::offload::pmpi
