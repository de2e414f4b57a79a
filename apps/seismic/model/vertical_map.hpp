// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "kernels/basis.hpp"
#include "mesh/spacetree.hpp"

namespace seismic {

/// A surface of the mesh's cubes whose position in the ground is given: the Earth's surface, or an
/// interface between two materials.
struct Horizon {
  double reference = 0.0;                       ///< m, the depth of faces of the mesh
  std::function<double(double, double)> depth;  ///< m, at x and y
};

/// Moves the mesh's cubes up and down, so that horizons are at their positions; depths between two
/// horizons are interpolated linearly. Top and bottom of the domain stay unless they are horizons.
/// Horizons are polynomials on the areas of root cells, equal on both sides of an edge, so that
/// refined cells of any level fit together.
class VerticalMap {
 public:
  /// No change.
  VerticalMap() = default;
  /// `degree`: of the polynomials, 1 to the order of the solver. Throws std::invalid_argument if
  /// references do not ascend within the domain or horizons cross.
  VerticalMap(const RootGrid& grid, std::vector<Horizon> horizons, int degree);

  [[nodiscard]] bool is_identity() const { return references_.empty(); }
  /// The depth in the ground of the point (x, y, z) of the cubes.
  [[nodiscard]] double depth(const Point& reference) const;
  /// The point of the cubes that corresponds to a point in the ground; outside of the domain for
  /// points above or below it.
  [[nodiscard]] Point reference(const Point& point) const;
  /// Whether a horizon goes through a cell that reaches from `lower` on.
  [[nodiscard]] bool cuts(const Point& lower, double size) const;

 private:
  [[nodiscard]] std::vector<double> horizon_depths(double x, double y) const;

  RootGrid grid_;
  std::vector<double> references_;           // ascending, with top and bottom
  std::vector<double> nodes_;                // of an edge of a root, with both ends, 0 to 1
  std::vector<std::vector<double>> depths_;  // [horizon][root y][root x][node y][node x]
};

}  // namespace seismic
