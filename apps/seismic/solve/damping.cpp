// SPDX-License-Identifier: Apache-2.0
#include "solve/damping.hpp"

#include <algorithm>
#include <cmath>

namespace seismic {
namespace {

/// The sum of rates from all absorbing boundaries.
double rate_at(const RootGrid& grid, const Boundaries& boundaries, const DampingLayer& layer,
               const Point& point) {
  double rate = 0.0;
  for (std::size_t face = 0; face < faces; ++face) {
    if (boundaries[face] != Boundary::absorbing) continue;
    const std::size_t axis = face / 2;
    const double plane = grid.origin[axis] + (face % 2 == 0 ? 0.0 : grid.size * grid.count[axis]);
    const double depth =
        std::clamp(1.0 - std::abs(point[axis] - plane) / layer.thickness, 0.0, 1.0);
    rate += layer.rate * depth * depth * depth;
  }
  return rate;
}

}  // namespace

double damping_rate(double thickness, double speed, double remainder) {
  // The wave passes the layer twice, and the profile's integral is thickness / 4 each time.
  return -std::log(remainder) * speed * 2.0 / thickness;
}

Damping::Damping(const Mesh& mesh, const Basis& basis, const Boundaries& boundaries,
                 const DampingLayer& layer, double step)
    : factors_(layer.thickness > 0.0 ? mesh.cells.size() : 0) {
  const Layout layout{basis.nodes()};
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    const Cell& cell = mesh.cells[k];
    AlignedArray values(static_cast<std::size_t>(layout.volume()));
    bool is_damped = false;
    for (int z = 0; z < layout.nodes; ++z) {
      for (int y = 0; y < layout.nodes; ++y) {
        for (int x = 0; x < layout.nodes; ++x) {
          const Point point{cell.lower[0] + cell.size * basis.node(x),
                            cell.lower[1] + cell.size * basis.node(y),
                            cell.lower[2] + cell.size * basis.node(z)};
          const double rate = rate_at(mesh.grid, boundaries, layer, point);
          is_damped = is_damped || rate > 0.0;
          values[static_cast<std::size_t>(layout.at(x, y, z))] = std::exp(-rate * step);
        }
      }
    }
    if (is_damped) factors_[k] = std::move(values);
  }
}

}  // namespace seismic
