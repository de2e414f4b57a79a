// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "roam/core/detail/owned.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/engine.hpp"

namespace roam::am {

struct MessengerStats;

/// Counts what one rank has sent since its start, without read-modify-writes: each counter is
/// written by one thread at a time and may be read by any.
class TrafficCounters {
 public:
  /// A sender is asked to check how much is unsent each time it has sent `check_every_bytes`.
  TrafficCounters(const exec::Engine& engine, std::size_t check_every_bytes);
  TrafficCounters(const TrafficCounters&) = delete;
  TrafficCounters& operator=(const TrafficCounters&) = delete;
  ~TrafficCounters();

  // --- by the thread of a slot ---

  /// Counts a message; `counted` says whether quiescence counts it. True if so much has been sent
  /// since the last check that it is time for another one.
  [[gnu::always_inline]] bool count_sent(std::uint32_t slot, std::size_t bytes, bool counted) {
    OfSlot& own = of_slot_[slot];
    if (slot == outside_slot_) {
      // Written here and not in a function: the sender would need a stack frame for the call.
      if (counted) own.counted_sent.fetch_add(1, std::memory_order_release);
      own.messages_sent.fetch_add(1, std::memory_order_release);
      own.bytes_sent.fetch_add(bytes, std::memory_order_release);
      return true;
    }
    if (counted) add_alone(own.counted_sent, 1);
    add_alone(own.messages_sent, 1);
    const std::uint64_t all = own.bytes_sent.load(std::memory_order_relaxed) + bytes;
    own.bytes_sent.store(all, std::memory_order_release);
    if (all < own.next_check) return false;
    own.next_check = all + check_every_bytes_;
    return true;
  }
  /// The number of messages sent so far.
  [[nodiscard]] std::uint64_t sent_from(std::uint32_t slot) const {
    return of_slot_[slot].messages_sent.load(std::memory_order_relaxed);
  }
  /// Count the beginning and the end of something that quiescence waits for and that is no message.
  void begin_counted(std::uint32_t slot) { bump(slot, of_slot_[slot].counted_sent); }
  void end_counted(std::uint32_t slot) { bump(slot, of_slot_[slot].counted_ends); }

  // --- any thread ---

  [[nodiscard]] std::uint64_t counted_sent() const { return sum(&OfSlot::counted_sent); }
  /// What end_counted() has counted.
  [[nodiscard]] std::uint64_t counted_ends() const { return sum(&OfSlot::counted_ends); }
  void add_to(MessengerStats& stats) const;
  void add_to(exec::WorkingSet& set) const { set.add(of_slot_[0]); }

 private:
  /// Written by the slot's thread alone, except for the outside slot; read by any thread.
  struct alignas(64) OfSlot {
    std::atomic<std::uint64_t> counted_sent{0};
    std::atomic<std::uint64_t> counted_ends{0};
    std::atomic<std::uint64_t> messages_sent{0};
    std::atomic<std::uint64_t> bytes_sent{0};
    // The value of bytes_sent at which to check (A3); the slot's thread alone.
    std::uint64_t next_check = 0;
  };
  static void add_alone(std::atomic<std::uint64_t>& counter, std::uint64_t n) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_release);
  }
  void bump(std::uint32_t slot, std::atomic<std::uint64_t>& counter);
  [[nodiscard]] std::uint64_t sum(std::atomic<std::uint64_t> OfSlot::*counter) const;

  const std::uint32_t slots_;
  const std::uint32_t outside_slot_;  // several threads use it
  const std::size_t check_every_bytes_;
  const core::Owned<OfSlot[]> of_slot_;
};

}  // namespace roam::am
