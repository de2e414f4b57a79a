// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace mesh_refine {

/// Position of a point in the point list of the mesh it belongs to.
using PointIndex = std::uint32_t;

/// A point or a vector of three-dimensional space, in the length unit of the input file.
struct Point3 {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;

  friend bool operator==(const Point3&, const Point3&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(x, y, z);
  }
};

/// Three corners, counter-clockwise seen from outside the body it bounds.
struct Triangle {
  std::array<PointIndex, 3> point{};

  friend bool operator==(const Triangle&, const Triangle&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(point[0], point[1], point[2]);
  }
};

/// Four corners; positively oriented when corner 3 sees corners 0, 1, 2 counter-clockwise.
struct Tetrahedron {
  std::array<PointIndex, 4> point{};

  friend bool operator==(const Tetrahedron&, const Tetrahedron&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(point[0], point[1], point[2], point[3]);
  }
};

struct SurfaceMesh {
  std::vector<Point3> points;
  std::vector<Triangle> triangles;
};

struct TetMesh {
  std::vector<Point3> points;
  std::vector<Tetrahedron> tets;
};

/// Corners of the face opposite corner i, ordered so that (face, corner i) is positively oriented;
/// the face seen from outside runs the other way round.
inline constexpr std::array<std::array<std::size_t, 3>, 4> corners_of_face{
    {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}}};

inline Point3 operator+(const Point3& a, const Point3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Point3 operator-(const Point3& a, const Point3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Point3 operator*(double s, const Point3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Point3& a, const Point3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Point3 cross(const Point3& a, const Point3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Point3& a) { return std::sqrt(dot(a, a)); }

/// Rounded volume; its sign is not exact (orient3d is).
inline double signed_volume(const Point3& a, const Point3& b, const Point3& c, const Point3& d) {
  return dot(b - a, cross(c - a, d - a)) / 6.0;
}

}  // namespace mesh_refine
