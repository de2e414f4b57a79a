// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <span>
#include <vector>

#include "settings.hpp"

namespace netsort {

using Integers = std::vector<std::int32_t>;

/// A random number that depends on the seed and two more alone, so that every rank can draw it.
[[nodiscard]] inline std::uint64_t draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  roam::core::Random first(seed ^ (a * 0x9e3779b97f4a7c15ULL));
  roam::core::Random second(first() ^ (b * 0xc2b2ae3d27d4eb4fULL));
  return second();
}

/// The input: integers `begin` to `end` of the unsorted sequence.
[[nodiscard]] Integers input(const Settings& settings, std::int64_t begin, std::int64_t end);

/// The half of two sorted sequences of equal length that the left neighbour keeps after a
/// comparison, or the right one; sorted.
[[nodiscard]] Integers lower_half(const Integers& a, const Integers& b);
[[nodiscard]] Integers upper_half(const Integers& a, const Integers& b);

/// A checksum that depends on every integer and its position in the whole sequence (`first`: that
/// of the first); sums over parts give that of the whole.
[[nodiscard]] std::uint64_t fingerprint(std::span<const std::int32_t> integers, std::int64_t first);

}  // namespace netsort
