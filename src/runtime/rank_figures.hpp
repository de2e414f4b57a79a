// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/runtime/statistics.hpp"

namespace roam {

/// All figures of a rank by name, without those of its workers; the figures of its parts come last.
[[nodiscard]] Counters figures_of(const RankStatistics& rank);
/// Subtracts from every figure of a measurement its value when the measurement began; figures that
/// count from the rank's start are not changed.
void subtract_figures(RankStatistics& rank, const RankStatistics& at_begin);

}  // namespace roam
