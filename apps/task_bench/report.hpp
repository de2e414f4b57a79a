// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "graph.hpp"

namespace task_bench {

/// Prints the graphs, and the times of a run on that many ranks, in the format of Task Bench, which
/// scripts read.
void report(const std::vector<Graph>& graphs, std::int64_t ranks, double seconds);

}  // namespace task_bench
