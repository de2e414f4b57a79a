// SPDX-License-Identifier: Apache-2.0
#include "solve/cell_shape.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace seismic {
namespace {

/// Depths of the nodes over the cell's size, [z][y][x]. Returns whether the cell is a cube.
bool depths_of(const Cell& cell, const Basis& basis, const VerticalMap& map, AlignedArray& depths) {
  const Layout layout{basis.nodes()};
  bool is_cube = true;
  for (int z = 0; z < layout.nodes; ++z) {
    for (int y = 0; y < layout.nodes; ++y) {
      for (int x = 0; x < layout.nodes; ++x) {
        const Point at{cell.lower[0] + cell.size * basis.node(x),
                       cell.lower[1] + cell.size * basis.node(y),
                       cell.lower[2] + cell.size * basis.node(z)};
        const double depth = map.depth(at);
        is_cube = is_cube && std::abs(depth - at[2]) < 1e-9 * cell.size;
        depths[static_cast<std::size_t>(layout.at(x, y, z))] = (depth - cell.lower[2]) / cell.size;
      }
    }
  }
  return is_cube;
}

/// The derivative along `axis` of nodal values, times `sign`.
void derive(const Basis& basis, const double* values, std::size_t axis, double sign, double* out) {
  const Layout layout{basis.nodes()};
  for (int z = 0; z < layout.nodes; ++z) {
    for (int y = 0; y < layout.nodes; ++y) {
      for (int x = 0; x < layout.nodes; ++x) {
        double sum = 0.0;
        for (int k = 0; k < layout.nodes; ++k) {
          const int at = axis == 0   ? layout.at(k, y, z)
                         : axis == 1 ? layout.at(x, k, z)
                                     : layout.at(x, y, k);
          sum += basis.derivative(axis == 0 ? x : axis == 1 ? y : z, k) * values[at];
        }
        out[layout.at(x, y, z)] = sign * sum;
      }
    }
  }
}

/// A nodal field of the cell at node (a, b) of a face.
double at_face(const Basis& basis, const double* values, std::size_t face, int a, int b) {
  const Layout layout{basis.nodes()};
  const std::vector<double> across = basis.values(face % 2 == 0 ? 0.0 : 1.0);
  double sum = 0.0;
  for (int k = 0; k < layout.nodes; ++k) {
    const int at = face / 2 == 0   ? layout.at(k, a, b)
                   : face / 2 == 1 ? layout.at(a, k, b)
                                   : layout.at(a, b, k);
    sum += across[static_cast<std::size_t>(k)] * values[at];
  }
  return sum;
}

/// The greatest singular value of ((1, 0), (slope / stretch, 1 / stretch)), the gradients of the
/// cube's coordinates in the plane of the slope: how much faster than in the cube a wave can cross
/// the cell.
double greatest_stretch(double slope, double stretch) {
  const double determinant = 1.0 / stretch;
  const double trace = 1.0 + determinant * determinant * (1.0 + slope * slope);
  return std::sqrt(0.5 * (trace + std::sqrt(trace * trace - 4.0 * determinant * determinant)));
}

void fill_normals(const Basis& basis, CellShape& shape) {
  const Layout layout{basis.nodes()};
  const auto plane = static_cast<std::size_t>(layout.plane());
  const double* stretch = shape.metric.data();
  std::fill_n(shape.normals.data(), shape.normals.size(), 1.0);  // padding is divided by
  for (std::size_t face = 0; face < faces; ++face) {
    double* normal = shape.normals.data() + face * 3 * plane;
    for (int b = 0; b < layout.nodes; ++b) {
      for (int a = 0; a < layout.nodes; ++a) {
        const auto node = static_cast<std::size_t>(b * layout.row() + a);
        for (std::size_t c = 0; c < 3; ++c) normal[c * plane + node] = 0.0;
        if (face / 2 < 2) {
          normal[face / 2 * plane + node] = at_face(basis, stretch, face, a, b);
        } else {
          normal[node] = at_face(basis, stretch + layout.quantity(), face, a, b);
          normal[plane + node] = at_face(basis, stretch + 2 * layout.quantity(), face, a, b);
          normal[2 * plane + node] = 1.0;
        }
      }
    }
  }
}

}  // namespace

CellShape make_shape(const Cell& cell, const Basis& basis, const VerticalMap& map) {
  CellShape shape;
  if (map.is_identity()) return shape;
  if (map.cuts(cell.lower, cell.size)) {
    throw std::invalid_argument("a horizon's reference lies inside of cells, not on their faces");
  }
  const Layout layout{basis.nodes()};
  const auto quantity = static_cast<std::size_t>(layout.quantity());
  AlignedArray depths(quantity);
  if (depths_of(cell, basis, map, depths)) return shape;
  shape.metric = AlignedArray(3 * quantity);
  derive(basis, depths.data(), 2, 1.0, shape.metric.data());
  derive(basis, depths.data(), 0, -1.0, shape.metric.data() + quantity);
  derive(basis, depths.data(), 1, -1.0, shape.metric.data() + 2 * quantity);
  for (int z = 0; z < layout.nodes; ++z) {
    for (int y = 0; y < layout.nodes; ++y) {
      for (int x = 0; x < layout.nodes; ++x) {
        const auto node = static_cast<std::size_t>(layout.at(x, y, z));
        const double stretch = shape.metric[node];
        if (!(stretch > 0.0)) throw std::invalid_argument("horizons turn a cell inside out");
        const double slope =
            std::hypot(shape.metric[quantity + node], shape.metric[2 * quantity + node]);
        shape.step_divisor = std::max(shape.step_divisor, greatest_stretch(slope, stretch));
      }
    }
  }
  shape.normals = AlignedArray(faces * 3 * static_cast<std::size_t>(layout.plane()));
  fill_normals(basis, shape);
  return shape;
}

}  // namespace seismic
