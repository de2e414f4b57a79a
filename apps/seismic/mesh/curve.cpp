// SPDX-License-Identifier: Apache-2.0
#include "mesh/curve.hpp"

namespace seismic {
namespace {

constexpr std::uint32_t rotate_right(std::uint32_t bits, std::uint32_t by) {
  by %= 3;
  return ((bits >> by) | (bits << (3 - by))) & 7U;
}

constexpr std::uint32_t rotate_left(std::uint32_t bits, std::uint32_t by) {
  return rotate_right(bits, 3 - by % 3);
}

constexpr std::uint32_t gray(std::uint32_t index) { return index ^ (index >> 1); }

constexpr std::uint32_t from_gray(std::uint32_t code) { return code ^ (code >> 1) ^ (code >> 2); }

constexpr std::uint32_t trailing_ones(std::uint32_t bits) {
  std::uint32_t count = 0;
  for (; (bits & 1U) != 0; bits >>= 1) ++count;
  return count;
}

/// Where the curve enters the w-th of eight cells, and the direction in which it leaves it.
constexpr std::uint32_t entry(std::uint32_t w) { return w == 0 ? 0 : gray(2 * ((w - 1) / 2)); }

constexpr std::uint32_t direction(std::uint32_t w) {
  if (w == 0) return 0;
  return trailing_ones(w % 2 == 0 ? w - 1 : w) % 3;
}

std::uint64_t hilbert(const CellPlace& place, int digits) {
  std::uint64_t index = 0;
  std::uint32_t enter = 0;
  std::uint32_t along = 0;
  for (int digit = digits - 1; digit >= 0; --digit) {
    std::uint32_t octant = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      octant |= ((static_cast<std::uint32_t>(place[axis]) >> digit) & 1U) << axis;
    }
    const std::uint32_t w = from_gray(rotate_right(octant ^ enter, along + 1));
    enter ^= rotate_left(entry(w), along + 1);
    along = (along + direction(w) + 1) % 3;
    index = index * 8 + w;
  }
  return index;
}

std::uint64_t peano(const CellPlace& place, int digits) {
  std::int32_t power = 1;
  for (int digit = 1; digit < digits; ++digit) power *= 3;
  std::uint64_t index = 0;
  std::array<int, 3> seen{};  // sum of the digits of each axis so far
  for (; power > 0; power /= 3) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int digit = place[axis] / power % 3;
      // The curve runs backwards along an axis when it has taken an odd number of steps along
      // others.
      const int others = seen[(axis + 1) % 3] + seen[(axis + 2) % 3];
      index = index * 3 + static_cast<std::uint64_t>(others % 2 == 0 ? digit : 2 - digit);
      seen[axis] += digit;
    }
  }
  return index;
}

}  // namespace

std::uint64_t curve_index(const CellPlace& place, int digits, int refinement) {
  return refinement == 2 ? hilbert(place, digits) : peano(place, digits);
}

}  // namespace seismic
