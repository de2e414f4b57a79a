// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace seismic {

/// The greatest c for which steps of c * cell size / P speed never let energy grow, for a ratio of
/// the S to the P speed: c(0) of the order / max(1 - 4/3 ratio^2, (1 + 2 ratio) / 3). The first
/// bound is that of waves of pressure alone, the second that of a P and two S waves along the axes.
/// c(0) was measured, with random states on uniform meshes; so were both bounds, for ratios of 0.01
/// to 0.85. Order 1 has the bound of ratio 0.
[[nodiscard]] double stable_step_factor(int order, double speed_ratio);

}  // namespace seismic
