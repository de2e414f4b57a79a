// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/basis.hpp"
#include "mesh/mesh.hpp"
#include "model/boundaries.hpp"
#include "solve/aligned_array.hpp"

namespace seismic {

/// A layer along the absorbing boundaries in which waves are damped: all quantities decay at rate *
/// (depth in the layer / thickness)^3 per second. (Cerjan, Kosloff, Kosloff, Reshef, Geophysics 50,
/// 1985, with a smoother profile.)
struct DampingLayer {
  double thickness = 0.0;  ///< m; 0: none
  double rate = 0.0;       ///< 1/s, at the boundary
};

/// The rate with which a wave of `speed` (m/s) that passes the layer and comes back retains the
/// fraction `remainder` (0 to 1) of its amplitude.
[[nodiscard]] double damping_rate(double thickness, double speed, double remainder);

/// Factors by which a step multiplies all quantities, per cell and node [z][y][x].
class Damping {
 public:
  Damping() = default;
  Damping(const Mesh& mesh, const Basis& basis, const Boundaries& boundaries,
          const DampingLayer& layer, double step);

  /// Null where nothing is damped.
  [[nodiscard]] const double* cell(CellIndex cell) const {
    return factors_.empty() ? nullptr : factors_[static_cast<std::size_t>(cell)].data();
  }

 private:
  std::vector<AlignedArray> factors_;
};

}  // namespace seismic
