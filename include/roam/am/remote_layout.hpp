// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace roam::am {

/// The number of elements of a box along each of up to three dimensions, the innermost first: {n}
/// is a row, {n, m} m rows of n elements, {n, m, k} k such planes.
using Extents = std::array<std::uint64_t, 3>;
/// The distance of neighbours along each dimension, in elements; may be negative or zero.
using Strides = std::array<std::int64_t, 3>;

/// A row of `count` elements.
[[nodiscard]] constexpr Extents row(std::uint64_t count) { return {count, 1, 1}; }
/// `count` blocks of `length` elements each.
[[nodiscard]] constexpr Extents blocks(std::uint64_t count, std::uint64_t length) {
  return {length, count, 1};
}
/// A box of x times y times z elements, x the innermost.
[[nodiscard]] constexpr Extents box(std::uint64_t x, std::uint64_t y, std::uint64_t z = 1) {
  return {x, y, z};
}
/// The strides of blocks that follow one another without gaps: how packed data lies.
[[nodiscard]] constexpr Strides dense(const Extents& extents) {
  return {1, static_cast<std::int64_t>(extents[0]),
          static_cast<std::int64_t>(extents[0] * extents[1])};
}
/// The strides of blocks whose beginnings are `distance` elements apart.
[[nodiscard]] constexpr Strides every(std::int64_t distance) { return {1, distance, 0}; }
/// Strides inside an array whose rows have `x` elements and whose planes have `y` rows.
[[nodiscard]] constexpr Strides inside(std::uint64_t x, std::uint64_t y = 0) {
  return {1, static_cast<std::int64_t>(x), static_cast<std::int64_t>(x * y)};
}

/// @cond
/// A box of elements in memory, relative to its first element.
struct Layout {
  Extents extents{1, 1, 1};
  Strides strides{1, 0, 0};
  std::uint64_t element_bytes = 1;
};

/// The bytes from the lowest that a layout touches to the highest.
struct ByteRange {
  std::int64_t first = 0;  // relative to the first element
  std::uint64_t length = 0;
};

/// The number of bytes of a layout and the range in which they lie; nullopt if a number overflows.
struct Footprint {
  std::uint64_t bytes = 0;
  ByteRange range;
};
[[nodiscard]] std::optional<Footprint> footprint(const Layout& layout);

/// Copies the elements of a layout, in order, to packed memory. The caller has checked the range.
void gather(const std::byte* first, const Layout& layout, std::byte* packed);
/// Copies packed elements to the elements of a layout, in order. The caller has checked the range.
void scatter(const std::byte* packed, std::byte* first, const Layout& layout);
/// @endcond

}  // namespace roam::am
