// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "molecular_dynamics/vec3.hpp"

namespace md {

/// A random number generator with the same numbers on every machine (SplitMix64; Steele et al.
/// 2014).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  /// A number above 0 and at most 1.
  double unit() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    value ^= value >> 31;
    return static_cast<double>((value >> 11) + 1) * 0x1.0p-53;
  }
  /// A number from a normal distribution of width 1 (Box and Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }
  /// A vector whose three components are such numbers.
  Vec3 normal_vector() {
    Vec3 vector;
    vector.x = normal();
    vector.y = normal();
    vector.z = normal();
    return vector;
  }

 private:
  std::uint64_t state_;
};

}  // namespace md
