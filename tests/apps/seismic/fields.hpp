// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "solve/solver.hpp"

namespace seismic::testing {

using Values = std::array<double, quantities>;
using Field = std::function<Values(const Point&)>;

/// Calls body(cell, node, point, quadrature weight in m3) for all nodes of the mesh.
template <class Body>
void for_each_node(const Solver& solver, const Body& body) {
  const Layout& layout = solver.kernels().layout;
  const Basis& basis = solver.basis();
  for (std::size_t k = 0; k < solver.mesh().cells.size(); ++k) {
    const Cell& cell = solver.mesh().cells[k];
    for (int z = 0; z < layout.nodes; ++z) {
      for (int y = 0; y < layout.nodes; ++y) {
        for (int x = 0; x < layout.nodes; ++x) {
          const Point point{cell.lower[0] + cell.size * basis.node(x),
                            cell.lower[1] + cell.size * basis.node(y),
                            cell.lower[2] + cell.size * basis.node(z)};
          const double weight = basis.weight(x) * basis.weight(y) * basis.weight(z) * cell.size *
                                cell.size * cell.size;
          body(static_cast<CellIndex>(k), layout.at(x, y, z), point, weight);
        }
      }
    }
  }
}

inline void set_field(Solver& solver, const Field& field) {
  const int stride = solver.kernels().layout.quantity();
  for_each_node(solver, [&](CellIndex cell, int node, const Point& point, double) {
    const Values values = field(point);
    for (int q = 0; q < quantities; ++q) {
      solver.state(cell)[q * stride + node] = values[static_cast<std::size_t>(q)];
    }
  });
}

/// Random values in [-1, 1] everywhere.
inline void set_random(Solver& solver, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  set_field(solver, [&](const Point&) {
    Values values{};
    for (double& value : values) value = any(engine);
    return values;
  });
}

/// The relative error in the L2 norm; stresses divided by the P impedance of `material` count like
/// velocities.
inline double relative_error(const Solver& solver, const Field& exact, const Material& material) {
  const int stride = solver.kernels().layout.quantity();
  double error = 0.0;
  double norm = 0.0;
  for_each_node(solver, [&](CellIndex cell, int node, const Point& point, double weight) {
    const Values values = exact(point);
    for (int q = 0; q < quantities; ++q) {
      const double scale = q < sxx ? 1.0 : 1.0 / impedance(material).p;
      const double value = values[static_cast<std::size_t>(q)] * scale;
      const double away = solver.state(cell)[q * stride + node] * scale - value;
      error += weight * away * away;
      norm += weight * value * value;
    }
  });
  return std::sqrt(error / norm);
}

/// A plane wave cos(k.x - w t) of unit amplitude in a material; `polarisation` along k (P) or at
/// right angles to it (S), of length 1.
struct PlaneWave {
  Material material;
  Point wave_vector;
  Point polarisation;
  double speed;

  [[nodiscard]] Values at(const Point& point, double time) const {
    const double length = std::hypot(wave_vector[0], wave_vector[1], wave_vector[2]);
    double phase = -speed * length * time;
    double along = 0.0;
    Point n{};
    for (std::size_t a = 0; a < 3; ++a) {
      n[a] = wave_vector[a] / length;
      phase += wave_vector[a] * point[a];
      along += n[a] * polarisation[a];
    }
    const double g = std::cos(phase);
    const double lambda = material.lambda(), mu = material.mu();
    const auto stress = [&](std::size_t i, std::size_t j) {
      return -g / speed *
             ((i == j ? lambda * along : 0.0) +
              mu * (n[i] * polarisation[j] + n[j] * polarisation[i]));
    };
    return {g * polarisation[0], g * polarisation[1], g * polarisation[2],
            stress(0, 0),        stress(1, 1),        stress(2, 2),
            stress(0, 1),        stress(0, 2),        stress(1, 2)};
  }
};

}  // namespace seismic::testing
