// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "roam/core/types.hpp"

namespace roam::core {

/// The binary tree of the ranks of a job, rank 0 at its root: rank r has the children 2 r + 1 and
/// 2 r + 2, as far as the job has such ranks. Sums go up this tree, decisions come down it, and
/// every rank is at most log2(size) messages away from rank 0. A plain value.
class RankTree {
 public:
  /// A range of up to two ranks, for loops.
  class Children {
   public:
    class Iterator {
     public:
      using value_type = Rank;
      using difference_type = std::int64_t;
      Iterator() = default;
      explicit Iterator(std::int32_t at) : at_(at) {}
      Rank operator*() const { return {at_}; }
      Iterator& operator++() {
        ++at_;
        return *this;
      }
      Iterator operator++(int) {
        const Iterator before = *this;
        ++at_;
        return before;
      }
      friend bool operator==(Iterator, Iterator) = default;

     private:
      std::int32_t at_ = 0;
    };

    Children(std::int32_t first, std::int32_t last) : first_(first), last_(last) {}
    [[nodiscard]] Iterator begin() const { return Iterator(first_); }
    [[nodiscard]] Iterator end() const { return Iterator(last_); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(last_ - first_); }
    [[nodiscard]] bool contain(Rank rank) const {
      return rank.value() >= first_ && rank.value() < last_;
    }

   private:
    std::int32_t first_;
    std::int32_t last_;
  };

  /// The place of `rank` in the tree of ranks 0 to size - 1.
  constexpr RankTree(Rank rank, std::int32_t size) : rank_(rank.value()), size_(size) {}

  /// The rank above this one; nullopt for rank 0.
  [[nodiscard]] constexpr std::optional<Rank> parent() const {
    if (rank_ <= 0) return std::nullopt;
    return Rank((rank_ - 1) / 2);
  }
  [[nodiscard]] Children children() const {
    const std::int64_t first = 2 * std::int64_t{rank_} + 1;
    return {static_cast<std::int32_t>(std::min<std::int64_t>(first, size_)),
            static_cast<std::int32_t>(std::min<std::int64_t>(first + 2, size_))};
  }

 private:
  std::int32_t rank_;
  std::int32_t size_;
};

}  // namespace roam::core
