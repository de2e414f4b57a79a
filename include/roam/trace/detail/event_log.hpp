// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::trace {

struct RankTrace;

/// What happened on one rank, stored in memory until the run is over. Each slot (a worker, the
/// communication thread, ...) has a buffer of its own, so that recording takes no lock; a slot
/// belongs to one thread at a time. Memory is bounded: events beyond `events_per_slot` are dropped
/// and counted.
class EventLog {
 public:
  /// The default bound. An event takes 32 bytes, allocated as events come.
  static constexpr std::size_t default_events_per_slot = 1'000'000;

  explicit EventLog(std::uint32_t slots, std::size_t events_per_slot = default_events_per_slot);
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  ~EventLog();

  /// Records that a handler, or a part of one between suspensions, ran on `slot`. `label` is in
  /// static storage, or nullptr. Called by the thread that turns the slot; takes a few nanoseconds.
  void handler(std::uint32_t slot, const char* label, ObjectId object, Instant begin,
               Instant end) noexcept {
    Slot& mine = slots_[slot];
    if (mine.next.load(std::memory_order_relaxed) == mine.end && !grow(mine)) return;
    Event* const next = mine.next.load(std::memory_order_relaxed);
    *next = {label, object, begin, end};
    mine.next.store(next + 1, std::memory_order_release);  // the event is complete before it counts
  }
  /// Records that an object left for another rank. Any thread. Bounded by events_per_slot too.
  void migration(Instant time, ObjectId object, Rank from, Rank to, std::uint64_t bytes) noexcept;

  /// Appends everything recorded to `trace`: events slot by slot in the order recorded, migrations,
  /// labels each once, and the number of events dropped. Any thread, while others record.
  void add_to(RankTrace& trace) const;
  /// The number of events dropped so far because of the bound. Any thread, while others record.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  struct Event {
    const char* label;
    ObjectId object;
    Instant begin;
    Instant end;
  };
  struct Migration {
    Instant time;
    ObjectId object;
    Rank from;
    Rank to;
    std::uint64_t bytes;
  };
  struct Chunk {
    std::unique_ptr<Event[]> events;
    std::size_t capacity;
  };
  // Written by the thread that turns the slot; others read while they hold the lock.
  struct alignas(64) Slot {
    std::atomic<Event*> next{nullptr};  // the place for the next event, in the last chunk
    Event* end = nullptr;               // used by the slot's thread alone
    std::size_t capacity = 0;           // used by the slot's thread alone: that of all chunks
    std::atomic<std::uint64_t> dropped{0};
    mutable core::SpinLock lock;  // taken by the slot's thread to begin another chunk
    std::vector<Chunk> chunks;    // under lock
  };
  bool grow(Slot& slot) noexcept;

  const std::uint32_t slot_count_;
  const std::size_t events_per_slot_;
  const std::unique_ptr<Slot[]> slots_;
  mutable core::SpinLock migrations_lock_;
  std::vector<Migration> migrations_;     // under migrations_lock_
  std::uint64_t migrations_dropped_ = 0;  // under migrations_lock_
};

}  // namespace roam::trace
