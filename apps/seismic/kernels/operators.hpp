// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "kernels/basis.hpp"
#include "kernels/layout.hpp"

namespace seismic {

inline constexpr int most_nodes = highest_order + 1;
inline constexpr int most_row = Layout{most_nodes}.row();

/// The one-dimensional operators of an order as the kernels read them. Unused entries are zero.
struct alignas(alignment) Operators {
  /// derivative[k * nodes + j]: of basis polynomial j at node k.
  std::array<double, most_nodes * most_nodes> derivative{};
  /// The transposed derivative in padded rows: derivative_rows[j * row + k].
  std::array<double, most_nodes * most_row> derivative_rows{};
  /// at_face[side][j]: basis polynomial j at the lower (0) and the upper (1) end.
  std::array<std::array<double, most_row>, 2> at_face{};
  /// lift[side][j] = at_face[side][j] / weight j: the inverse mass matrix times a face's value.
  std::array<std::array<double, most_row>, 2> lift{};
};

[[nodiscard]] Operators make_operators(const Basis& basis);

/// Interpolation from a coarse face's nodes to those of its part `part` of `parts` in one
/// direction, and the L2 projection back. Shapes: [fine node * nodes + coarse node] and [coarse
/// node * nodes + fine node].
struct PartOperators {
  std::array<double, most_nodes * most_nodes> interpolate{};
  std::array<double, most_nodes * most_nodes> project{};
};

[[nodiscard]] PartOperators make_part_operators(const Basis& basis, int part, int parts);

}  // namespace seismic
