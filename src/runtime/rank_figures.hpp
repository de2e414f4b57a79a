// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/runtime/statistics.hpp"

namespace roam {

/// All figures of a rank but those of its workers, by name, those of its parts last.
[[nodiscard]] Counters figures_of(const RankStatistics& rank);
/// Takes from every figure of a measurement what it was when the measurement began; what counts
/// since the rank's start stays.
void subtract_figures(RankStatistics& rank, const RankStatistics& at_begin);

}  // namespace roam
