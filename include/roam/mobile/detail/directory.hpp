// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/detail/thread_annotations.hpp"
#include "roam/core/object_id.hpp"
#include "roam/mobile/detail/call_queue.hpp"
#include "roam/mobile/detail/location_table.hpp"

namespace roam::mobile {

/// The capability that a thread has between locking a shard of the directory and unlocking it. It
/// guards the members of the shard and of the residents in it. No thread is inside two shards at a
/// time, so one capability stands for all their locks; Clang cannot check that it is the right
/// shard's.
class ROAM_CAPABILITY("shard's lock") InsideShard {
 public:
  /// For a resident that no other thread can reach or change now; each use says why.
  void assert_held() const ROAM_ASSERT_CAPABILITY() {}
};
inline constexpr InsideShard inside_shard;

/// Calls issued to objects whose entry is going to be forgotten, by object. Takes no memory of its
/// own as long as there are none.
class HeldCalls {
 public:
  HeldCalls();
  HeldCalls(const HeldCalls&) = delete;
  HeldCalls& operator=(const HeldCalls&) = delete;
  ~HeldCalls();

  [[nodiscard]] bool empty() const { return !calls_; }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool contains(ObjectId id) const;
  /// From now on the calls of this object are held.
  void begin(ObjectId id);
  /// The calls of an object whose calls are held.
  [[nodiscard]] CallQueue& of(ObjectId id);
  /// Ends the holding of the object's calls and returns them; nothing if they were not held.
  [[nodiscard]] std::optional<CallQueue> end(ObjectId id);
  /// Calls visit(queue) for each object.
  void for_each(void (*visit)(CallQueue& queue));

 private:
  struct Calls;
  core::Owned<Calls> calls_;
};

/// What one rank knows of objects: those that are here and the last known places of others (PREMA
/// 3.1). Split into shards, each with a lock that also guards the residents in it, so that a call
/// takes one lock. Asking for a place takes none.
class Directory {
 public:
  using Entry = LocationTable::Entry;
  struct alignas(64) Shard {
    // What every call needs comes first, in one line of the cache with the way into `entries`.
    mutable core::SpinLock lock;  // locked by ShardLock alone
    // The run time of calls since the load phase began.
    double phase_seconds ROAM_GUARDED_BY(inside_shard) = 0;
    HeldCalls closing ROAM_GUARDED_BY(inside_shard);
    LocationTable entries ROAM_GUARDED_BY(inside_shard);
    std::size_t foreign ROAM_GUARDED_BY(inside_shard) = 0;  // entries of objects with another home
    /// Adds what every call needs.
    void add_to(exec::WorkingSet& set) const ROAM_REQUIRES(inside_shard) {
      set.add_from(this, &entries);
      entries.add_to(set);
    }
    [[nodiscard]] Entry* find(ObjectId id) ROAM_REQUIRES(inside_shard) { return entries.find(id); }
    /// The object, if it is here or has not left completely; else nullptr.
    [[nodiscard]] Resident* resident(ObjectId id) ROAM_REQUIRES(inside_shard) {
      const Entry* const entry = entries.find(id);
      return entry == nullptr ? nullptr : entry->resident();
    }
  };

  /// `shards` must be a power of two.
  explicit Directory(std::size_t shards);
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory();

  [[nodiscard]] Shard& shard(ObjectId id) const {
    return shards_[LocationTable::shard_hash(id) & (count_ - 1)];
  }
  [[nodiscard]] std::size_t shard_count() const { return count_; }
  [[nodiscard]] Shard* begin() const { return shards_.get(); }
  [[nodiscard]] Shard* end() const { return shards_.get() + count_; }

  /// Not analysed: LocationTable::place_of() needs no lock.
  [[nodiscard]] std::optional<Place> place_of(ObjectId id) const ROAM_NO_THREAD_SAFETY_ANALYSIS {
    return shard(id).entries.place_of(id);
  }

 private:
  std::size_t count_;
  core::Owned<Shard[]> shards_;
};

/// Encloses a step of the protocol on one rank: from its constructor to its destructor the thread
/// is inside a shard. What the step leads to is done after it; see Effects.
class ROAM_SCOPED_CAPABILITY ShardLock {
 public:
  explicit ShardLock(const Directory::Shard& shard) ROAM_ACQUIRE(inside_shard) : lock_(shard.lock) {
    lock_.lock();
  }
  ~ShardLock() ROAM_RELEASE() { lock_.unlock(); }
  ShardLock(const ShardLock&) = delete;
  ShardLock& operator=(const ShardLock&) = delete;

 private:
  core::SpinLock& lock_;
};

}  // namespace roam::mobile
