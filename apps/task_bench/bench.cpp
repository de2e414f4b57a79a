// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

namespace task_bench {

Bench::Bench(const Settings& settings) : iteration_seconds_(settings.iteration_seconds) {
  graphs_.reserve(settings.graphs.size());
  for (const GraphSettings& graph : settings.graphs)
    graphs_.emplace_back(graph, static_cast<int>(graphs_.size()), settings.planted);
}

void Bench::finish_task(const Graph& graph, std::int64_t step, std::int64_t point, Output& output) {
  if (iteration_seconds_ > 0) {
    const auto iterations = static_cast<double>(iterations_of(graph, step, point));
    roam::here().compute_if_simulated(roam::from_seconds(iterations * iteration_seconds_));
  } else {
    run_kernel(graph, step, point, scratch_);
  }
  output.write({step, point}, graph.settings().output_bytes);
}

}  // namespace task_bench
