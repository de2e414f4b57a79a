// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace md {

/// A position, a velocity or a force, in reduced units.
struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;

  Vec3& operator+=(const Vec3& other) {
    x += other.x;
    y += other.y;
    z += other.z;
    return *this;
  }
  Vec3& operator-=(const Vec3& other) {
    x -= other.x;
    y -= other.y;
    z -= other.z;
    return *this;
  }
  friend Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
  friend Vec3 operator-(Vec3 a, const Vec3& b) { return a -= b; }
  friend Vec3 operator*(double factor, const Vec3& v) {
    return {factor * v.x, factor * v.y, factor * v.z};
  }
  friend double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

/// The component along an axis: 0 for x, 1 for y, 2 for z.
[[nodiscard]] inline double coordinate(const Vec3& v, std::size_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}
[[nodiscard]] inline double& coordinate(Vec3& v, std::size_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

}  // namespace md
