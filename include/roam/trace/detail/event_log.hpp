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

/// What happened on one rank, kept in memory until the run is over. Each slot (a worker, the
/// communication thread, ...) has a buffer of its own, so that recording takes no lock; a slot
/// belongs to one thread at a time. Memory is bounded: past `events_per_slot` events are dropped
/// and counted.
class EventLog {
 public:
  /// 32 bytes each, allocated as they come.
  static constexpr std::size_t default_events_per_slot = 1'000'000;

  explicit EventLog(std::uint32_t slots, std::size_t events_per_slot = default_events_per_slot);
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  ~EventLog();

  /// A handler, or a part of one between suspensions, ran on `slot`. `label` is in static storage,
  /// or nullptr. Called by the thread that turns the slot; a few nanoseconds.
  void handler(std::uint32_t slot, const char* label, ObjectId object, Instant begin,
               Instant end) noexcept {
    Slot& mine = slots_[slot];
    if (mine.next.load(std::memory_order_relaxed) == mine.end && !grow(mine)) return;
    Event* const next = mine.next.load(std::memory_order_relaxed);
    *next = {label, object, begin, end};
    mine.next.store(next + 1, std::memory_order_release);  // the event is there before it counts
  }
  /// An object left for another rank. Any thread. Bounded by events_per_slot too.
  void migration(Instant time, ObjectId object, Rank from, Rank to, std::uint64_t bytes) noexcept;

  /// Appends everything recorded to `trace`: events slot by slot in the order recorded, migrations,
  /// labels each once, and the number of events dropped. Any thread, while others record.
  void add_to(RankTrace& trace) const;
  /// Events dropped so far for want of room. As add_to().
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
    std::atomic<Event*> next{nullptr};  // in the last chunk
    Event* end = nullptr;               // the owner's alone
    std::size_t capacity = 0;           // the owner's alone: of all chunks
    std::atomic<std::uint64_t> dropped{0};
    mutable core::SpinLock lock;  // taken by the owner to begin another chunk
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
