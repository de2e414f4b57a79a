// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace stencil {

/// One Jacobi step on a square of side x side cells with a margin of one cell, row by row: each
/// becomes the mean of its four neighbours. The margin stays.
void relax(std::vector<double>& cells, std::int32_t side);

}  // namespace stencil
