// SPDX-License-Identifier: Apache-2.0
#include "solve/cell_materials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solve/stable_step.hpp"

namespace seismic {
namespace {

/// How far inside of a cell, in its sizes, the material of a face is taken.
constexpr double just_inside = 1e-6;

Point place(const Cell& cell, double x, double y, double z) {
  return {cell.lower[0] + cell.size * x, cell.lower[1] + cell.size * y,
          cell.lower[2] + cell.size * z};
}

bool is_same(const Material& a, const Material& b) {
  return a.density == b.density && a.p_speed == b.p_speed && a.s_speed == b.s_speed;
}

/// Calls body(x index, y index, z index) for all nodes.
template <class Body>
void for_each_node(int nodes, const Body& body) {
  for (int z = 0; z < nodes; ++z) {
    for (int y = 0; y < nodes; ++y) {
      for (int x = 0; x < nodes; ++x) body(x, y, z);
    }
  }
}

}  // namespace

CellMaterials::CellMaterials(const Mesh& mesh, const Basis& basis, const MaterialAtPoint& at_point,
                             const VerticalMap& map)
    : layout_{basis.nodes()}, entries_(mesh.cells.size()) {
  const MaterialAtPoint at = [&](const Point& reference) {
    return at_point({reference[0], reference[1], map.depth(reference)});
  };
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Cell& cell = mesh.cells[k];
    Entry& entry = entries_[k];
    const Material first = at(place(cell, basis.node(0), basis.node(0), basis.node(0)));
    bool is_uniform = true;
    double stiffest = 0.0, lightest = 0.0, factor = 1.0;
    for_each_node(layout_.nodes, [&](int x, int y, int z) {
      const Material here = at(place(cell, basis.node(x), basis.node(y), basis.node(z)));
      is_uniform = is_uniform && is_same(here, first);
      stiffest = std::max(stiffest, here.lambda() + 2.0 * here.mu());
      lightest = std::max(lightest, 1.0 / here.density);
      factor = std::min(factor, stable_step_factor(layout_.nodes - 1, here.s_speed / here.p_speed));
    });
    entry.uniform = elasticity(first);
    entry.impedance = impedance(first);
    entry.shape = make_shape(cell, basis, map);
    if (!is_uniform || !entry.shape.is_cube()) fill_varying(cell, basis, at, entry);
    if (!entry.shape.is_cube()) divide_by_stretch(entry);
    // A bound for the polynomials, which couple the stiffest node with the lightest one, and for
    // the faces, which couple both with impedances taken elsewhere; in a uniform cell all three are
    // the P speed.
    const auto [least, most] = p_impedances(entry);
    const double speed =
        std::max({std::sqrt(stiffest * lightest), stiffest / least, most * lightest});
    entry.speed_bound = speed / factor * entry.shape.step_divisor;
  }
}

void CellMaterials::fill_varying(const Cell& cell, const Basis& basis, const MaterialAtPoint& at,
                                 Entry& entry) {
  const auto quantity = static_cast<std::size_t>(layout_.quantity());
  const auto plane = static_cast<std::size_t>(layout_.plane());
  entry.nodes = AlignedArray(3 * quantity);
  entry.faces = AlignedArray(faces * 2 * plane);
  for_each_node(layout_.nodes, [&](int x, int y, int z) {
    const Elasticity here =
        elasticity(at(place(cell, basis.node(x), basis.node(y), basis.node(z))));
    const auto node = static_cast<std::size_t>(layout_.at(x, y, z));
    entry.nodes[node] = here.inverse_density;
    entry.nodes[quantity + node] = here.lambda;
    entry.nodes[2 * quantity + node] = here.mu;
  });
  for (std::size_t face = 0; face < faces; ++face) {
    double* p = entry.faces.data() + face * 2 * plane;
    // Kernels divide by the padding, so it is set to one.
    std::fill_n(p, 2 * plane, 1.0);
    for (int b = 0; b < layout_.nodes; ++b) {
      for (int a = 0; a < layout_.nodes; ++a) {
        std::array<double, 3> where{};
        const std::size_t across = face / 2;
        where[across] = face % 2 == 0 ? just_inside : 1.0 - just_inside;
        where[across == 0 ? 1 : 0] = basis.node(a);
        where[across == 2 ? 1 : 2] = basis.node(b);
        const Impedance here = impedance(at(place(cell, where[0], where[1], where[2])));
        const auto node = static_cast<std::size_t>(b * layout_.row() + a);
        p[node] = here.p;
        p[plane + node] = here.s;
      }
    }
  }
}

std::pair<double, double> CellMaterials::p_impedances(const Entry& entry) const {
  std::pair<double, double> range{entry.impedance.p, entry.impedance.p};
  if (entry.faces.size() == 0) return range;
  for (int face = 0; face < faces; ++face) {
    for (int b = 0; b < layout_.nodes; ++b) {
      for (int a = 0; a < layout_.nodes; ++a) {
        const double here = entry.faces[static_cast<std::size_t>(face * 2 * layout_.plane() +
                                                                 b * layout_.row() + a)];
        range = {std::min(range.first, here), std::max(range.second, here)};
      }
    }
  }
  return range;
}

void CellMaterials::divide_by_stretch(Entry& entry) const {
  for (int z = 0; z < layout_.nodes; ++z) {
    for (int y = 0; y < layout_.nodes; ++y) {
      for (int x = 0; x < layout_.nodes; ++x) {
        const auto node = static_cast<std::size_t>(layout_.at(x, y, z));
        for (std::size_t k = 0; k < 3; ++k) {
          entry.nodes[k * static_cast<std::size_t>(layout_.quantity()) + node] /=
              entry.shape.metric[node];
        }
      }
    }
  }
}

CellMaterial CellMaterials::cell(CellIndex cell) const {
  const Entry& entry = entries_[static_cast<std::size_t>(cell)];
  return {entry.uniform, entry.nodes.data(), entry.shape.metric.data()};
}

FaceSide CellMaterials::face(CellIndex cell, int face) const {
  const Entry& entry = entries_[static_cast<std::size_t>(cell)];
  FaceSide side{nullptr, entry.impedance, nullptr, entry.uniform};
  if (entry.faces.data() != nullptr) {
    side.varying = entry.faces.data() + static_cast<std::ptrdiff_t>(face) * 2 * layout_.plane();
  }
  return side;
}

const double* CellMaterials::normal(CellIndex cell, int face) const {
  const CellShape& shape = entries_[static_cast<std::size_t>(cell)].shape;
  if (shape.is_cube()) return nullptr;
  return shape.normals.data() + static_cast<std::ptrdiff_t>(face) * 3 * layout_.plane();
}

const double* CellMaterials::stretch(CellIndex cell) const {
  return entries_[static_cast<std::size_t>(cell)].shape.metric.data();
}

double CellMaterials::speed_bound(CellIndex cell) const {
  return entries_[static_cast<std::size_t>(cell)].speed_bound;
}

Elasticity CellMaterials::at_node(CellIndex cell, int node) const {
  const Entry& entry = entries_[static_cast<std::size_t>(cell)];
  if (entry.nodes.data() == nullptr) return entry.uniform;
  const double* values = entry.nodes.data() + node;
  return {values[0], values[layout_.quantity()], values[2 * layout_.quantity()]};
}

double longest_stable_step(const Mesh& mesh, const CellMaterials& materials) {
  double step = std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < mesh.cells.size(); ++k) {
    step = std::min(step, mesh.cells[k].size / materials.speed_bound(static_cast<CellIndex>(k)));
  }
  return step;
}

}  // namespace seismic
