// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/placement/load_graph.hpp"

namespace roam::placement {

struct RefineSettings {
  double imbalance = 0.01;     ///< target imbalance
  std::int32_t attempts = 32;  ///< at most; large problems are solved once
};

/// Moves the fewest objects that it finds to bring every rank within the limit. The result is never
/// slower than the placement it starts from.
[[nodiscard]] Placement refine(const LoadGraph& graph, const Machine& machine,
                               const RefineSettings& settings);

}  // namespace roam::placement
