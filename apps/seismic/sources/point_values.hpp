// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/basis.hpp"
#include "sources/locate.hpp"

namespace seismic {

/// The value at x of a function on three equal cells in a row, [-1, 0], [0, 1] and [1, 2], as a sum
/// over its values at their nodes: the factors, [cell][node].
///
/// They are an inner product with the element of smallest L2 norm of the piecewise polynomials of
/// degree p - 1 that is exact for polynomials of degree min(2 p + 1, 3 p - 1), p being the basis's
/// degree. Such moment conditions make discrete point sources accurate (Waldén, BIT 39, 1999;
/// Petersson, Sjögreen, Commun. Comput. Phys. 8, 2010). Degree p is left out: of a wave computed
/// with upwind fluxes, whose mean values are exact to order 2 p + 1, the Legendre coefficient of
/// degree m in a cell is exact to order 2 p + 1 - m only.
[[nodiscard]] std::vector<double> neighbour_values(const Basis& basis, double x);

/// The factors along one axis of the values at the nodes of a share's cell, without its weight:
/// shape nodes(). The products of three such factors, summed over the nodes of all shares, give the
/// value at the point.
[[nodiscard]] std::vector<double> point_values(const Basis& basis, const PointShare& share,
                                               std::size_t axis);

}  // namespace seismic
