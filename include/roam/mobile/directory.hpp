// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "roam/core/object_id.hpp"
#include "roam/core/spin_lock.hpp"

namespace roam::mobile {

class Resident;

/// What one rank knows of objects: those that live here and the last known places of others
/// (PREMA 3.1). Split into shards, each with a lock that also guards the residents in it, so that a
/// call takes one lock.
class Directory {
 public:
  struct Entry {
    Resident* resident = nullptr;  ///< if it lives here (or is on its way out)
    Rank location;                 ///< last known place; this rank if resident
    std::uint32_t version =
        0;  ///< of `location`: moves so far; news with a smaller one is stale (M7)
    std::uint32_t next_sequence = 0;  ///< of this rank's next call to the object (M3)
  };
  struct alignas(64) Shard {
    mutable core::SpinLock lock;
    std::unordered_map<ObjectId, Entry> entries;  // under lock
    [[nodiscard]] Entry* find(ObjectId id) {
      const auto found = entries.find(id);
      return found == entries.end() ? nullptr : &found->second;
    }
  };

  explicit Directory(std::size_t shards)
      : count_(shards), shards_(std::make_unique<Shard[]>(shards)) {}
  [[nodiscard]] Shard& shard(ObjectId id) {
    return shards_[(std::hash<ObjectId>{}(id) >> 20) % count_];
  }
  [[nodiscard]] Shard* begin() const { return shards_.get(); }
  [[nodiscard]] Shard* end() const { return shards_.get() + count_; }

 private:
  std::size_t count_;
  std::unique_ptr<Shard[]> shards_;
};

}  // namespace roam::mobile
