// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace seismic {

using CellPlace = std::array<std::int32_t, 3>;  ///< of a cell in the grid of its level

/// The most digits that curve_index takes, so that indices fit into 63 bits.
[[nodiscard]] constexpr int most_curve_digits(int refinement) { return refinement == 2 ? 20 : 13; }

/// Position of a cell on a space-filling curve through refinement^digits cells each way: Hilbert's
/// for refinement 2 (Hamilton, Compact Hilbert indices, 2006, algorithm 2), Peano's for 3 (Peano
/// 1890, in three dimensions). Cells that follow each other share a face. The index of a cell
/// begins with the digits, to base refinement^3, of the index of the coarser cell around it.
[[nodiscard]] std::uint64_t curve_index(const CellPlace& place, int digits, int refinement);

}  // namespace seismic
