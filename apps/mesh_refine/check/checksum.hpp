// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// 64-bit hash of a sequence of numbers, the same on every little- or big-endian machine with IEEE
/// doubles. Finds accidental differences; no protection against intent.
class Checksum {
 public:
  void add(std::uint64_t value) { state_ = mix(state_ ^ value) + 0x9e3779b97f4a7c15ULL; }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(const Point3& p) {
    add(p.x);
    add(p.y);
    add(p.z);
  }

  [[nodiscard]] std::uint64_t value() const { return mix(state_); }

 private:
  /// Finaliser of the splitmix64 generator.
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31U);
  }

  std::uint64_t state_ = 0x6a09e667f3bcc909ULL;
};

}  // namespace mesh_refine
