// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "geometry/geometry.hpp"

namespace mesh_refine {

/// Wanted edge length, graded by the distance to a feature: `smallest` within the distance `near`,
/// from there growing by `growth` per unit of distance up to `largest`. Trivially copyable, so that
/// it can travel in a message.
struct SizeField {
  Point3 feature;  ///< a point, or a point on the axis
  Point3 axis;     ///< unit direction of an axis through it; zero when the feature is the point
  double smallest = 1.0;
  double near = 0.0;
  double growth = 0.2;
  double largest = 1.0;

  [[nodiscard]] double distance(const Point3& p) const {
    const Point3 d = p - feature;
    return norm(d - dot(d, axis) * axis);
  }

  [[nodiscard]] double at(const Point3& p) const {
    return std::min(largest, smallest + growth * std::max(0.0, distance(p) - near));
  }

  /// The same field with all wanted lengths multiplied by `factor`.
  [[nodiscard]] SizeField enlarged(double factor) const {
    SizeField field = *this;
    field.smallest *= factor;
    field.growth *= factor;
    field.largest *= factor;
    return field;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(feature, axis, smallest, near, growth, largest);
  }
};

/// The point that lies farthest along `direction`; the first one of several. There must be one.
[[nodiscard]] inline Point3 extreme_point(std::span<const Point3> points, const Point3& direction) {
  return *std::ranges::max_element(points, {}, [&](const Point3& p) { return dot(p, direction); });
}

/// Direction (with sign +) of the longest side of the points' bounding box.
[[nodiscard]] inline Point3 longest_direction(std::span<const Point3> points) {
  const auto extent = [&](const Point3& axis) {
    return dot(extreme_point(points, axis), axis) +
           dot(extreme_point(points, -1.0 * axis), -1.0 * axis);
  };
  const std::array<Point3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  return *std::ranges::max_element(axes, {}, extent);
}

}  // namespace mesh_refine
