// SPDX-License-Identifier: Apache-2.0
#include "sources/point_sources.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sources/point_values.hpp"

namespace seismic {
namespace {

/// The delta function's part in a cell: factors of the values over weights and the cell's volume.
/// `stretch`: dz/dz' at the nodes of a cell that is no cube, else null.
AlignedArray delta_shape(const Basis& basis, const PointShare& share, double size, double factor,
                         const double* stretch) {
  const Layout layout{basis.nodes()};
  AlignedArray shape(static_cast<std::size_t>(layout.volume()));
  const std::vector<double> x = point_values(basis, share, 0);
  const std::vector<double> y = point_values(basis, share, 1);
  const std::vector<double> z = point_values(basis, share, 2);
  const auto scaled = [&](const std::vector<double>& values, int k) {
    return values[static_cast<std::size_t>(k)] / (basis.weight(k) * size);
  };
  for (int c = 0; c < layout.nodes; ++c) {
    for (int b = 0; b < layout.nodes; ++b) {
      for (int a = 0; a < layout.nodes; ++a) {
        const auto node = static_cast<std::size_t>(layout.at(a, b, c));
        shape[node] = factor * scaled(x, a) * scaled(y, b) * scaled(z, c);
        if (stretch != nullptr) shape[node] /= stretch[node];
      }
    }
  }
  return shape;
}

/// A factor of one half for each mirror that the point is on.
double share_of_mirrors(const RootGrid& grid, const Boundaries& boundaries, const Point& point) {
  double share = 1.0;
  for (std::size_t face = 0; face < faces; ++face) {
    if (!is_mirror(boundaries[face])) continue;
    const std::size_t axis = face / 2;
    const double plane = grid.origin[axis] + (face % 2 == 0 ? 0.0 : grid.size * grid.count[axis]);
    if (std::abs(point[axis] - plane) < 1e-9 * grid.size) share *= 0.5;
  }
  return share;
}

}  // namespace

std::vector<PlacedSource> place_sources(const Mesh& mesh, const Boundaries& boundaries,
                                        const VerticalMap& map,
                                        const std::vector<MomentSource>& sources,
                                        const PointSupport& support) {
  std::vector<PlacedSource> placed;
  for (const MomentSource& source : sources) {
    placed.push_back({source, support.shares(mesh, map.reference(source.position))});
    if (placed.back().shares.empty()) {
      throw std::invalid_argument("source " + std::to_string(placed.size()) +
                                  " is outside of the domain");
    }
    const double mirrored = share_of_mirrors(mesh.grid, boundaries, source.position);
    for (PointShare& share : placed.back().shares) share.weight *= mirrored;
  }
  return placed;
}

PointSources::PointSources(const Mesh& mesh, const Basis& basis, const CellMaterials& shapes,
                           std::vector<PlacedSource> sources)
    : sources_(std::move(sources)), list_of_(mesh.cells.size(), -1) {
  for (const PlacedSource& placed : sources_) {
    rates_.emplace_back(static_cast<std::size_t>(basis.nodes()));
    for (const PointShare& share : placed.shares) {
      const auto cell = static_cast<std::size_t>(share.cell);
      shapes_.push_back(delta_shape(basis, share, mesh.cells[cell].size, share.weight,
                                    shapes.stretch(share.cell)));
      if (list_of_[cell] < 0) {
        list_of_[cell] = static_cast<std::int32_t>(of_cell_.size());
        of_cell_.emplace_back();
      }
      CellSource part{shapes_.back().data(), rates_.back().data(), {}};
      std::copy(placed.source.moment.begin(), placed.source.moment.end(), part.moment);
      of_cell_[static_cast<std::size_t>(list_of_[cell])].push_back(part);
    }
  }
}

void PointSources::begin_step(const Basis& basis, double time, double step) {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    rate_coefficients(sources_[s].source.rate, basis, time, step,
                      {rates_[s].data(), rates_[s].size()});
  }
}

const std::vector<CellSource>& PointSources::in(CellIndex cell) const {
  const std::int32_t list = list_of_[static_cast<std::size_t>(cell)];
  return list < 0 ? none_ : of_cell_[static_cast<std::size_t>(list)];
}

}  // namespace seismic
