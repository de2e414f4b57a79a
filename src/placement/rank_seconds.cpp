// SPDX-License-Identifier: Apache-2.0
#include "rank_seconds.hpp"

namespace roam::placement {

std::vector<double> rank_work(const LoadGraph& graph, const Machine& machine,
                              const Placement& placement) {
  std::vector<double> work(static_cast<std::size_t>(machine.ranks));
  for (std::size_t r = 0; r < work.size(); ++r) work[r] = graph.background(r);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    work[static_cast<std::size_t>(placement[i])] += graph.seconds[i];
  }
  return work;
}

std::vector<double> rank_seconds(const LoadGraph& graph, const Machine& machine,
                                 const Placement& placement) {
  std::vector<double> seconds = rank_work(graph, machine, placement);
  for (std::size_t r = 0; r < seconds.size(); ++r) seconds[r] /= capacity(machine, r);
  return seconds;
}

}  // namespace roam::placement
