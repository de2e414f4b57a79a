// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sw4 {

inline constexpr std::int32_t strip = 16;       ///< rows that are swept together
inline constexpr std::int32_t ring_rows = 8;    ///< kept, of which five are in use
inline constexpr std::int32_t ring_planes = 8;  ///< kept, of which six are in use
inline constexpr std::int32_t row_lines = 8;    ///< what one row needs
/// Rows of memory that a sweep needs.
inline constexpr std::int32_t lines_of_scratch =
    row_lines + 3 * ring_rows + 3 * ring_planes * strip;

}  // namespace sw4
