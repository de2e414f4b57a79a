// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "roam/core/detail/huge_memory.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/detail/working_set.hpp"

namespace roam::mobile {

class Resident;

/// Where an object is, or was last known to be; `version`: its moves until then. News with a
/// smaller version is stale (M7).
struct Place {
  Rank rank;
  std::uint32_t version = 0;
};

/// What a rank knows of objects, by name: extendible hashing (Fagin, Nievergelt, Pippenger, Strong,
/// ACM TODS 4, 1979). Grows by one bucket at a time, so that no insertion takes long, and takes
/// 44 bytes at most for each entry, from a thousand entries on. One thread at a time may change it
/// or use its entries (the caller's lock); place_of() takes no lock and may run beside that.
class LocationTable {
 public:
  /// 24 bytes. Stays valid until the next insertion. Under the caller's lock.
  class Entry {
   public:
    [[nodiscard]] ObjectId id() const { return ObjectId(id_.load(std::memory_order_relaxed)); }
    [[nodiscard]] Rank location() const {
      return unpacked(place_.load(std::memory_order_relaxed)).rank;
    }
    [[nodiscard]] std::uint32_t version() const {
      return unpacked(place_.load(std::memory_order_relaxed)).version;
    }
    void set_place(Rank location, std::uint32_t version) {
      place_.store(packed({location, version}), std::memory_order_release);
    }
    /// The object, if it is here or on its way out; else nullptr.
    [[nodiscard]] Resident* resident() const {
      return (rest_ & is_sequence) != 0 ? nullptr : reinterpret_cast<Resident*>(rest_);
    }
    /// The entry of an object that is here keeps no sequence: the object does.
    void set_resident(Resident* resident) { rest_ = reinterpret_cast<std::uintptr_t>(resident); }
    /// The number of this rank's next call to the object (M3). Only without a resident.
    [[nodiscard]] std::uint32_t next_sequence() const {
      return static_cast<std::uint32_t>(rest_ >> sequence_shift);
    }
    void set_next_sequence(std::uint32_t sequence) {
      rest_ = (std::uint64_t{sequence} << sequence_shift) | (rest_ & recent) | is_sequence;
    }
    [[nodiscard]] std::uint32_t take_sequence() {
      const std::uint32_t taken = next_sequence();
      set_next_sequence(taken + 1);
      return taken;
    }
    /// The object has left.
    void clear_resident(std::uint32_t sequence) {
      rest_ = (std::uint64_t{sequence} << sequence_shift) | recent | is_sequence;
    }
    /// Used since it was last looked at by whoever bounds the table. Only without a resident.
    [[nodiscard]] bool is_recent() const { return (rest_ & recent) != 0; }
    void set_recent(bool is_used) { rest_ = is_used ? rest_ | recent : rest_ & ~recent; }

   private:
    friend class LocationTable;
    static constexpr std::uint64_t is_sequence = 1;  // residents' addresses are even
    static constexpr std::uint64_t recent = 2;
    static constexpr int sequence_shift = 32;
    static std::uint64_t packed(const Place& place) {
      return (std::uint64_t{place.version} << 32U) | static_cast<std::uint32_t>(place.rank.value());
    }
    static Place unpacked(std::uint64_t place) {
      return {Rank(static_cast<std::int32_t>(static_cast<std::uint32_t>(place))),
              static_cast<std::uint32_t>(place >> 32U)};
    }
    // Written under the caller's lock; read by place_of() at any time.
    std::atomic<std::uint64_t> id_{0};  // 0: free
    std::atomic<std::uint64_t> place_{0};
    std::uint64_t rest_ = is_sequence;
  };

  /// For whoever shares objects out to several tables: neighbours to the same, and evenly.
  [[nodiscard]] static std::size_t shard_hash(ObjectId id) {
    return std::hash<ObjectId>{}(ObjectId(id.value() / group_size)) >> 20U;
  }

  LocationTable() = default;
  LocationTable(const LocationTable&) = delete;
  LocationTable& operator=(const LocationTable&) = delete;
  ~LocationTable();

  /// Any thread, without a lock: the place at some moment during the call; none of an entry that
  /// has just been inserted and not been given its place. Reads again only if another thread has
  /// changed the same bucket meanwhile.
  [[nodiscard]] std::optional<Place> place_of(ObjectId id) const;

  // Under the caller's lock:
  [[nodiscard]] Entry* find(ObjectId id) {
    const Root* root = root_.load(std::memory_order_relaxed);
    if (root == nullptr || !id) return nullptr;
    const Hash where = hash(id);
    return find_in(*root->at(where.position).load(std::memory_order_relaxed), id, where);
  }
  /// The id must not be there yet. Throws std::bad_alloc.
  Entry& insert(ObjectId id);
  void erase(Entry& entry);
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Adds the way to the buckets, if it is short.
  void add_to(exec::WorkingSet& set) const;
  /// Memory taken, in bytes.
  [[nodiscard]] std::size_t bytes() const;
  /// Calls visit(entry) for each entry; it must not insert or erase.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Slab& slab : slabs_) {
      for (Bucket& bucket : slab.buckets()) {
        for (Entry& entry : bucket.entries) {
          if (entry.id()) visit(entry);
        }
      }
    }
  }
  /// Goes around the table, one slot at each call, for whoever looks for something to remove;
  /// nullptr: the slot is free.
  [[nodiscard]] Entry* next_in_turn();

 private:
  // Objects made one after the other are often used so, too: four neighbouring ids share a bucket
  // and, as a rule, two lines of the cache.
  static constexpr std::size_t group_size = 4;
  static constexpr std::size_t groups = 16;
  static constexpr std::size_t bucket_size = groups * group_size;
  struct Bucket {
    std::atomic<std::uint32_t> removals{0};  // begun so far: whoever saw fewer looks again
    std::uint8_t depth = 0;                  // leading bits that its positions have in common
    std::uint8_t count = 0;
    std::atomic<std::uint8_t> longest{0};  // search that was needed to put something in
    std::array<Entry, bucket_size> entries;
  };
  /// Buckets that lie together.
  class Slab {
   public:
    explicit Slab(std::size_t buckets) : memory_(buckets * sizeof(Bucket)) {}
    [[nodiscard]] bool is_full() const { return (used_ + 1) * sizeof(Bucket) > memory_.bytes(); }
    Bucket* make() {
      return ::new (memory_.data() + used_++ * sizeof(Bucket)) Bucket;  // trivially destructible
    }
    [[nodiscard]] std::span<Bucket> buckets() const {
      return {std::launder(reinterpret_cast<Bucket*>(memory_.data())), used_};
    }
    [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }

   private:
    core::HugeMemory memory_;
    std::size_t used_ = 0;
  };
  /// The buckets by the leading bits of the position; several may be the same.
  struct Root {
    explicit Root(std::uint32_t bits);
    [[nodiscard]] std::atomic<Bucket*>& at(std::uint32_t position) const {
      return buckets[static_cast<std::size_t>(std::uint64_t{position} >> (32U - depth))];
    }
    const std::uint32_t depth;
    const core::HugeMemory memory;
    std::atomic<Bucket*>* const buckets;  // in memory
  };
  struct Hash {
    std::uint32_t position;
    std::uint32_t group;  // in the bucket, where the search begins
    std::uint32_t member;
    /// The slots of a bucket in the order of the search: the same member of each group, then
    /// others.
    [[nodiscard]] std::size_t slot(std::size_t i) const {
      return (group + i) % groups * group_size + (member + i / groups) % group_size;
    }
  };
  // Positions are not even: twice as many ids have the last as have the first. Buckets of equal ids
  // would all be full at the same time, then all half empty; so they take turns, and the table is
  // filled to about 69 % (ln 2) at any size.
  [[nodiscard]] static Hash hash(ObjectId id) {
    std::uint64_t bits = id.value() / group_size * 0x9e3779b97f4a7c15ULL;
    bits ^= bits >> 32U;
    bits *= 0xd6e8feb86659fd93ULL;
    const std::uint64_t even = bits >> 32U;
    return {static_cast<std::uint32_t>((2 * even + (even * even >> 32U)) / 3),
            static_cast<std::uint32_t>((bits >> 16U) % groups),
            static_cast<std::uint32_t>(bits + id.value())};
  }
  [[nodiscard]] static Entry* find_in(Bucket& bucket, ObjectId id, const Hash& where) {
    // Most are found at once, and need no look at what else the bucket says.
    for (std::size_t i = 0; i < groups; ++i) {
      Entry& entry = bucket.entries[where.slot(i)];
      if (entry.id_.load(std::memory_order_acquire) == id.value()) return &entry;
    }
    const std::size_t longest = bucket.longest.load(std::memory_order_acquire);
    for (std::size_t i = groups; i < longest; ++i) {
      Entry& entry = bucket.entries[where.slot(i)];
      if (entry.id_.load(std::memory_order_acquire) == id.value()) return &entry;
    }
    return nullptr;
  }
  static Entry& put(Bucket& bucket, ObjectId id, const Hash& where);
  static void remove(Bucket& bucket, Entry& entry);
  Bucket* new_bucket(std::uint8_t depth);
  void begin();
  void split(Bucket& full, std::uint32_t position);
  void deepen();
  static void move_upper_half(Bucket& from, Bucket& to);

  std::atomic<Root*> root_{nullptr};  // the last of roots_; written under the caller's lock
  // Readers may still look at the former ones, which together are smaller than the last.
  std::vector<core::Owned<Root>> roots_;
  std::vector<Slab> slabs_;
  std::size_t buckets_ = 0;
  std::size_t size_ = 0;
  struct Turn {
    std::size_t slab = 0;
    std::size_t entry = 0;
  };
  Turn turn_;
};

}  // namespace roam::mobile
