// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/kernels.hpp"

namespace sw4 {

/// Sets a field's ghost points so that no force acts on the surface:
///   u_z + w_x = 0, v_z + w_y = 0, (lambda + 2 mu) w_z + lambda (u_x + v_y) = 0,
/// with the derivative down of Closure::surface. The field needs its halo at the surface.
void free_surface(const Medium& medium, double* field);

}  // namespace sw4
