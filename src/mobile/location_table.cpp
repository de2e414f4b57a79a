// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/location_table.hpp"

#include <algorithm>

#include "roam/core/error.hpp"

namespace roam::mobile {

LocationTable::~LocationTable() = default;

LocationTable::Root::Root(std::uint32_t bits)
    : depth(bits),
      memory((std::size_t{1} << bits) * sizeof(std::atomic<Bucket*>)),
      buckets(::new (memory.data()) std::atomic<Bucket*>[std::size_t{1} << bits]) {}

// A reader that finds the id then reads the entry's place, unless the entry was removed and its
// slot reused in between; a reader that does not find the id may have looked where it no longer
// was. In both cases it sees that a removal has begun, because removals are counted before the
// entry changes.
std::optional<Place> LocationTable::place_of(ObjectId id) const {
  if (!id) return std::nullopt;
  const Hash where = hash(id);
  while (true) {
    const Root* root = root_.load(std::memory_order_acquire);
    if (root == nullptr) return std::nullopt;
    Bucket* bucket = root->at(where.position).load(std::memory_order_acquire);
    const std::uint32_t removals = bucket->removals.load(std::memory_order_acquire);
    root = root_.load(std::memory_order_acquire);
    if (root->at(where.position).load(std::memory_order_acquire) != bucket) continue;
    const Entry* entry = find_in(*bucket, id, where);
    const std::uint64_t place =
        entry == nullptr ? 0 : entry->place_.load(std::memory_order_acquire);
    if (bucket->removals.load(std::memory_order_relaxed) != removals) continue;
    if (entry == nullptr || Entry::unpacked(place).rank == no_rank) return std::nullopt;
    return Entry::unpacked(place);
  }
}

LocationTable::Entry& LocationTable::insert(ObjectId id) {
  if (roots_.empty()) begin();
  const Hash where = hash(id);
  while (true) {
    Bucket& bucket =
        *root_.load(std::memory_order_relaxed)->at(where.position).load(std::memory_order_relaxed);
    if (bucket.count < bucket_size) {
      ++size_;
      return put(bucket, id, where);
    }
    split(bucket, where.position);
  }
}

LocationTable::Entry& LocationTable::put(Bucket& bucket, ObjectId id, const Hash& where) {
  std::size_t i = 0;
  while (bucket.entries[where.slot(i)].id()) ++i;
  Entry& entry = bucket.entries[where.slot(i++)];
  if (i > bucket.longest.load(std::memory_order_relaxed))
    bucket.longest.store(static_cast<std::uint8_t>(i), std::memory_order_release);
  entry.place_.store(Entry::packed({}), std::memory_order_release);
  entry.rest_ = Entry::is_sequence;
  entry.id_.store(id.value(), std::memory_order_release);
  ++bucket.count;
  return entry;
}

void LocationTable::remove(Bucket& bucket, Entry& entry) {
  bucket.removals.store(bucket.removals.load(std::memory_order_relaxed) + 1,
                        std::memory_order_release);
  // Publishes the count to readers that no longer find the entry.
  entry.id_.store(0, std::memory_order_release);
  --bucket.count;
}

void LocationTable::erase(Entry& entry) {
  const Root& root = *root_.load(std::memory_order_relaxed);
  remove(*root.at(hash(entry.id()).position).load(std::memory_order_relaxed), entry);
  --size_;
}

void LocationTable::add_to(exec::WorkingSet& set) const {
  constexpr std::uint32_t most_depth = 4;
  const Root* root = root_.load(std::memory_order_acquire);
  if (root == nullptr || root->depth > most_depth) return;
  set.add(*root);
  set.add(root->buckets, sizeof root->buckets[0] << root->depth);
}

// Slabs grow with the table, so that only a small part of the last one is unused.
LocationTable::Bucket* LocationTable::new_bucket(std::uint8_t depth) {
  if (slabs_.empty() || slabs_.back().is_full()) {
    constexpr std::size_t most = 8 * core::HugeMemory::page_bytes / sizeof(Bucket);
    slabs_.emplace_back(std::clamp(buckets_ / 8, std::size_t{1}, most));
  }
  Bucket* bucket = slabs_.back().make();
  bucket->depth = depth;
  ++buckets_;
  return bucket;
}

void LocationTable::begin() {
  roots_.push_back(std::make_unique<Root>(0));
  roots_.back()->buckets[0].store(new_bucket(0), std::memory_order_relaxed);
  root_.store(roots_.back().get(), std::memory_order_release);
}

void LocationTable::deepen() {
  const Root& former = *roots_.back();
  if (former.depth == 32) throw Error("a rank's directory of objects is full");
  auto root = std::make_unique<Root>(former.depth + 1);
  for (std::size_t i = 0; i < std::size_t{2} << former.depth; ++i) {
    root->buckets[i].store(former.buckets[i / 2].load(std::memory_order_relaxed),
                           std::memory_order_relaxed);
  }
  roots_.push_back(std::move(root));
  root_.store(roots_.back().get(), std::memory_order_release);
}

void LocationTable::move_upper_half(Bucket& from, Bucket& to) {
  const std::uint32_t bit = 1U << (31U - from.depth);
  for (const Entry& entry : from.entries) {
    const Hash where = hash(entry.id());
    if (!entry.id() || (where.position & bit) == 0) continue;
    Entry& copy = put(to, entry.id(), where);
    copy.place_.store(entry.place_.load(std::memory_order_relaxed), std::memory_order_release);
    copy.rest_ = entry.rest_;
  }
}

// Readers find a moved entry in the old bucket or in the new one, or read again.
void LocationTable::split(Bucket& full, std::uint32_t position) {
  if (full.depth == roots_.back()->depth) deepen();
  Bucket* upper = new_bucket(static_cast<std::uint8_t>(full.depth + 1));
  move_upper_half(full, *upper);
  const Root& root = *roots_.back();
  const std::uint32_t spread = root.depth - full.depth;  // the root refers to it 2^spread times
  const std::size_t first = static_cast<std::size_t>(std::uint64_t{position} >> (32U - full.depth))
                            << spread;
  for (std::size_t i = std::size_t{1} << (spread - 1); i < std::size_t{1} << spread; ++i)
    root.buckets[first + i].store(upper, std::memory_order_release);
  const std::uint32_t bit = 1U << (31U - full.depth);
  for (Entry& entry : full.entries) {
    if (entry.id() && (hash(entry.id()).position & bit) != 0) remove(full, entry);
  }
  ++full.depth;
}

std::size_t LocationTable::bytes() const {
  std::size_t total = slabs_.capacity() * sizeof(Slab);
  for (const Slab& slab : slabs_) total += slab.bytes();
  for (const auto& root : roots_) total += root->memory.bytes() + sizeof(Root);
  return total;
}

LocationTable::Entry* LocationTable::next_in_turn() {
  if (slabs_.empty()) return nullptr;
  if (turn_.entry == slabs_[turn_.slab].buckets().size() * bucket_size)
    turn_ = {(turn_.slab + 1) % slabs_.size(), 0};
  const std::span<Bucket> buckets = slabs_[turn_.slab].buckets();
  Entry& entry = buckets[turn_.entry / bucket_size].entries[turn_.entry % bucket_size];
  ++turn_.entry;
  return entry.id() ? &entry : nullptr;
}

}  // namespace roam::mobile
