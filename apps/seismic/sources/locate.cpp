// SPDX-License-Identifier: Apache-2.0
#include "sources/locate.hpp"

#include <algorithm>

namespace seismic {
namespace {

constexpr double blended = 0.02;  // of the smallest cell, on either side of a face

struct Domain {
  Point lower;
  Point upper;
};

Domain domain_of(const RootGrid& grid) {
  Domain domain{grid.origin, grid.origin};
  for (std::size_t axis = 0; axis < 3; ++axis) domain.upper[axis] += grid.size * grid.count[axis];
  return domain;
}

/// The weight of a cell that reaches from `lower` to `upper`, for a point at x: falls from 1 to 0
/// across each face, but not at the domain's ends.
double weight_along(double x, double lower, double upper, double zone, const Domain& domain,
                    std::size_t axis) {
  const double tolerance = 1e-9 * (upper - lower);
  double weight = 1.0;
  if (lower > domain.lower[axis] + tolerance) {
    weight *= std::clamp(0.5 + 0.5 * (x - lower) / zone, 0.0, 1.0);
  }
  if (upper < domain.upper[axis] - tolerance) {
    weight *= std::clamp(0.5 + 0.5 * (upper - x) / zone, 0.0, 1.0);
  }
  return weight;
}

}  // namespace

std::vector<PointShare> locate(const Mesh& mesh, const Point& point) {
  const Domain domain = domain_of(mesh.grid);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Written so that a point that is not a number is outside, too.
    if (!(point[axis] >= domain.lower[axis] && point[axis] <= domain.upper[axis])) return {};
  }
  double smallest = mesh.grid.size;
  for (const Cell& cell : mesh.cells) smallest = std::min(smallest, cell.size);
  const double zone = blended * smallest;
  std::vector<PointShare> shares;
  double sum = 0.0;
  for (std::size_t k = 0; k < mesh.cells.size(); ++k) {
    const Cell& cell = mesh.cells[k];
    PointShare share{static_cast<CellIndex>(k), 1.0, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      share.weight *= weight_along(point[axis], cell.lower[axis], cell.lower[axis] + cell.size,
                                   zone, domain, axis);
      share.inside[axis] = (point[axis] - cell.lower[axis]) / cell.size;
    }
    if (share.weight <= 0.0) continue;
    sum += share.weight;
    shares.push_back(share);
  }
  for (PointShare& share : shares) share.weight /= sum;
  return shares;
}

}  // namespace seismic
