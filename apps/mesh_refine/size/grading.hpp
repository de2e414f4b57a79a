// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "geometry/geometry.hpp"
#include "size/size_field.hpp"

namespace mesh_refine {

/// The desired element sizes, independent of the model's dimensions.
struct GradingOptions {
  /// Number of elements that the whole mesh is to have, approximately.
  double elements = 1.5e6;
  /// Largest over smallest wanted edge length.
  double ratio = 6.0;
  /// Share of the model's extent from the feature that is meshed with the smallest length; from
  /// there the length grows linearly to the far end.
  double near_share = 0.15;
  /// The feature; the low end of the model along its longest side when not given.
  std::optional<Point3> feature;
  /// Direction of an axis through the feature, of any length; zero for a point.
  Point3 axis;
};

/// Chooses a size field for a body by integrating the density of elements over it (exactly in the
/// angles, numerically in the distance). `boundary` is the closed, outward-oriented surface of the
/// body. Deterministic.
[[nodiscard]] SizeField choose_size_field(const SurfaceMesh& boundary,
                                          const GradingOptions& options);

/// Elements that a body is expected to get from a size field.
[[nodiscard]] double expected_elements(const SurfaceMesh& boundary, const SizeField& size);

/// The surface of a checked tetrahedral mesh, outward-oriented, with the mesh's point list.
[[nodiscard]] SurfaceMesh boundary_of(const TetMesh& mesh);

}  // namespace mesh_refine
