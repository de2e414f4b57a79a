// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "roam/core/object_id.hpp"
#include "roam/core/spin_lock.hpp"
#include "roam/mobile/call_queue.hpp"
#include "roam/mobile/location_table.hpp"

namespace roam::mobile {

/// What one rank knows of objects: those that live here and the last known places of others
/// (PREMA 3.1). Split into shards, each with a lock that also guards the residents in it, so that a
/// call takes one lock. Asking for a place takes none.
class Directory {
 public:
  using Entry = LocationTable::Entry;
  struct alignas(64) Shard {
    mutable core::SpinLock lock;
    LocationTable entries;     // changed under lock
    std::size_t foreign = 0;   // under lock: entries of objects with another home
    double phase_seconds = 0;  // under lock: run time of calls since end_load_phase()
    // Under lock: objects whose entry is to be forgotten, and the calls issued to them meanwhile.
    std::unordered_map<ObjectId, CallQueue> closing;
    [[nodiscard]] Entry* find(ObjectId id) { return entries.find(id); }
  };

  /// `shards`: a power of two.
  explicit Directory(std::size_t shards)
      : count_(shards), shards_(std::make_unique<Shard[]>(shards)) {}
  [[nodiscard]] Shard& shard(ObjectId id) const {
    return shards_[LocationTable::shard_hash(id) & (count_ - 1)];
  }
  [[nodiscard]] std::size_t shard_count() const { return count_; }
  [[nodiscard]] Shard* begin() const { return shards_.get(); }
  [[nodiscard]] Shard* end() const { return shards_.get() + count_; }

  /// Without a lock; see LocationTable::place_of().
  [[nodiscard]] std::optional<Place> place_of(ObjectId id) const {
    return shard(id).entries.place_of(id);
  }

 private:
  std::size_t count_;
  std::unique_ptr<Shard[]> shards_;
};

}  // namespace roam::mobile
