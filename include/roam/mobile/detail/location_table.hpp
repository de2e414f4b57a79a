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
#include "roam/core/detail/prefetch.hpp"
#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/detail/working_set.hpp"

namespace roam::mobile {

class Resident;

/// Where an object is, or was last known to be. `version` is the number of its moves until then;
/// news with a smaller version is stale (M7).
struct Place {
  Rank rank;
  std::uint32_t version = 0;
};

/// What a rank knows of objects, by id: extendible hashing (Fagin, Nievergelt, Pippenger, Strong,
/// ACM TODS 4, 1979). The table grows by one bucket at a time, so that no insertion takes long, and
/// takes at most 44 bytes for each entry, from a thousand entries on. One thread at a time may
/// change it or use its entries (the caller's lock); place_of() takes no lock and may run at the
/// same time.
class LocationTable {
 public:
  /// 24 bytes. Valid until the next insertion. Used under the caller's lock.
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
    /// The object, if it is here or has not left completely; else nullptr.
    [[nodiscard]] Resident* resident() const {
      return (rest_ & is_sequence) != 0 ? nullptr : reinterpret_cast<Resident*>(rest_);
    }
    /// Sets the object. Its entry then has no sequence number, because the object has it.
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
    /// Called when the object has left.
    void clear_resident(std::uint32_t sequence) {
      rest_ = (std::uint64_t{sequence} << sequence_shift) | recent | is_sequence;
    }
    /// True if the entry has been used since the search for unused entries last came by. Only
    /// without a resident.
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

  /// A hash for code that distributes objects over several tables: evenly, and neighbours to the
  /// same table.
  [[nodiscard]] static std::size_t shard_hash(ObjectId id) {
    return std::hash<ObjectId>{}(ObjectId(id.value() / group_size)) >> 20U;
  }

  LocationTable() = default;
  LocationTable(const LocationTable&) = delete;
  LocationTable& operator=(const LocationTable&) = delete;
  ~LocationTable();

  /// The place of an object at some moment during the call; nullopt if an entry has just been
  /// inserted and has no place yet. Any thread, without a lock. Reads again only if another thread
  /// has changed the same bucket meanwhile.
  [[nodiscard]] std::optional<Place> place_of(ObjectId id) const;

  // To be used under the caller's lock:
  [[nodiscard]] Entry* find(ObjectId id) {
    const Root* root = root_.load(std::memory_order_relaxed);
    if (root == nullptr || !id) return nullptr;
    const Hash where = hash(id);
    return find_in(*root->at(where.position).load(std::memory_order_relaxed), id, where);
  }
  /// Adds an entry for an id that has none. Throws std::bad_alloc.
  Entry& insert(ObjectId id);
  void erase(Entry& entry);
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Adds the memory that leads to the buckets, if it is small.
  void add_to(exec::WorkingSet& set) const;
  /// Prefetches the place where the entry is as a rule.
  void look_ahead(ObjectId id) const {
    if (const Entry* const entry = usual_entry(id)) core::prefetch_to_write(entry, sizeof *entry);
  }
  /// The entry, if it is where look_ahead() has looked; else nullptr.
  [[nodiscard]] const Entry* find_at_once(ObjectId id) const {
    const Entry* const entry = usual_entry(id);
    return entry != nullptr && entry->id() == id ? entry : nullptr;
  }
  /// The memory that the table takes, in bytes.
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
  /// Goes around the table, one slot with each call, so that entries to be removed can be looked
  /// for; nullptr: the slot is free.
  [[nodiscard]] Entry* next_in_turn();

 private:
  // Objects made one after the other are often used one after the other: four neighbouring ids
  // share a bucket and, as a rule, two cache lines.
  static constexpr std::size_t group_size = 4;
  static constexpr std::size_t groups = 16;
  static constexpr std::size_t bucket_size = groups * group_size;
  struct Bucket {
    // Removals begun so far: a reader that sees a change reads again.
    std::atomic<std::uint32_t> removals{0};
    std::uint8_t depth = 0;  // leading bits that its positions have in common
    std::uint8_t count = 0;
    std::atomic<std::uint8_t> longest{0};  // the longest search that was needed to insert an entry
    std::array<Entry, bucket_size> entries;
  };
  /// A piece of memory for several buckets.
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
  /// The buckets, indexed by the leading bits of the position; several entries may be the same
  /// bucket.
  struct Root {
    explicit Root(std::uint32_t bits);
    [[nodiscard]] std::atomic<Bucket*>& at(std::uint32_t position) const {
      return buckets[static_cast<std::size_t>(std::uint64_t{position} >> (32U - depth))];
    }
    const std::uint32_t depth;
    const core::HugeMemory memory;
    std::atomic<Bucket*>* const buckets;  // they lie in `memory`
  };
  struct Hash {
    std::uint32_t position;
    std::uint32_t group;  // the group of the bucket in which the search begins
    std::uint32_t member;
    /// Slot i of a bucket in the order of the search: the same member of each group first, then
    /// other members.
    [[nodiscard]] std::size_t slot(std::size_t i) const {
      return (group + i) % groups * group_size + (member + i / groups) % group_size;
    }
  };
  // Positions are not distributed evenly: twice as many ids have the last one as have the first.
  // With an even distribution all buckets would become full at the same time, and then half empty;
  // so they fill up at different times, and the table is filled to about 69 % (ln 2) at any size.
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
    // Most entries are found at once, without a look at the other members of the bucket.
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
  /// The first entry at which find() looks.
  [[nodiscard]] const Entry* usual_entry(ObjectId id) const {
    const Root* root = root_.load(std::memory_order_relaxed);
    if (root == nullptr) return nullptr;
    const Hash where = hash(id);
    const Bucket* const bucket = root->at(where.position).load(std::memory_order_relaxed);
    return &bucket->entries[where.slot(0)];
  }
  static Entry& put(Bucket& bucket, ObjectId id, const Hash& where);
  static void remove(Bucket& bucket, Entry& entry);
  Bucket* new_bucket(std::uint8_t depth);
  void begin();
  void split(Bucket& full, std::uint32_t position);
  void deepen();
  static void move_upper_half(Bucket& from, Bucket& to);

  std::atomic<Root*> root_{nullptr};  // the last of roots_; written under the caller's lock
  // Readers may still use the former roots, which together are smaller than the last.
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
