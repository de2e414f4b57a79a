// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "roam/core/detail/prefetch.hpp"
#include "roam/core/types.hpp"

namespace roam::core {

/// A value for each rank that has one, in one piece of memory: as a rule, finding a value touches
/// only one cache line. Values are never removed, and move when another is added. One thread at a
/// time.
template <class T>
class RankTable {
 public:
  /// The value of `rank` (not negative); T() is added if there is none.
  [[nodiscard]] T& at(Rank rank) {
    return at(rank, [] { return T(); });
  }
  /// The value of `rank`; make() is added if there is none.
  template <class Make>
  [[nodiscard]] T& at(Rank rank, Make&& make) {
    if (used_ * 2 >= entries_.size()) grow();
    Entry& entry = place_of(rank);
    if (entry.rank == no_rank) {
      entry.value = make();
      entry.rank = rank;
      ++used_;
    }
    return entry.value;
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  /// visit(rank, value) for each, in no order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : entries_) {
      if (entry.rank != no_rank) visit(entry.rank, entry.value);
    }
  }
  /// Prefetches the place where the value of `rank` is as a rule.
  void look_ahead(Rank rank) const {
    if (!entries_.empty()) prefetch_to_write(&entries_[first_place(rank)], sizeof(Entry));
  }
  /// The address of the table's memory; bytes() is its size.
  [[nodiscard]] const void* memory() const { return entries_.data(); }
  [[nodiscard]] std::size_t bytes() const { return entries_.size() * sizeof(Entry); }

 private:
  static constexpr std::size_t fewest = 4;
  struct Entry {
    Rank rank = no_rank;
    T value = T();
  };

  [[nodiscard]] std::size_t first_place(Rank rank) const {
    // Fibonacci hashing: consecutive ranks scatter.
    const std::uint64_t hash = std::uint64_t{rank.index()} * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(hash >> 32U) & (entries_.size() - 1);
  }
  [[nodiscard]] Entry& place_of(Rank rank) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t i = first_place(rank);
    while (entries_[i].rank != rank && entries_[i].rank != no_rank) i = (i + 1) & mask;
    return entries_[i];
  }
  void grow() {
    std::vector<Entry> entries(entries_.empty() ? fewest : 2 * entries_.size());
    std::swap(entries_, entries);
    for (Entry& entry : entries) {
      if (entry.rank != no_rank) place_of(entry.rank) = std::move(entry);
    }
  }

  std::vector<Entry> entries_;  // a power of two, or none; half of them free
  std::size_t used_ = 0;
};

}  // namespace roam::core
