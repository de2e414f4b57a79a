// SPDX-License-Identifier: Apache-2.0
// What a balancing strategy costs and reaches on the two sizes of DARMA's synthetic imbalance
// study: 106,496 objects on 2,048 ranks and 1,703,936 on 131,072 (load grows linearly over the
// ranks), and on 26,624 objects on 2,048 ranks, where there is less to choose from. In turn with
// the least that any strategy must do, sorting the loads.
//   bench_strategies [--short] [--repeats N] [--json FILE]                --short: the smaller
//   alone
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <roam/placement/strategy.hpp>
#include <string>
#include <vector>

#include "../support/report.hpp"

namespace {

using namespace roam::placement;

struct Size {
  std::int32_t ranks;
  std::uint32_t objects_per_rank;
};

/// A problem in which objects of the last ranks have three times the work of those of the first,
/// varied by 20 %.
LoadGraph linear_imbalance(const Size& size) {
  LoadGraph graph;
  roam::core::Random random(1);
  for (std::int32_t rank = 0; rank < size.ranks; ++rank) {
    for (std::uint32_t i = 0; i < size.objects_per_rank; ++i) {
      const double even = 1 + 2.0 * rank / size.ranks;
      graph.seconds.push_back(even * (0.8 + 0.4 * random.unit()));
      graph.rank.push_back(rank);
      graph.coordinates.push_back({static_cast<double>(graph.size()), 0, 0});
    }
  }
  return graph;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double sort_loads(const LoadGraph& graph) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<double> loads = graph.seconds;
  std::ranges::sort(loads);
  return seconds_since(begin);
}

/// Prints the quality reached; returns the time of the decision.
double measure(const std::string& name, const LoadGraph& graph, const roam::Machine& machine,
               bool prints) {
  const auto strategy = make_strategy({name, {}});
  const auto begin = std::chrono::steady_clock::now();
  const Placement placement = strategy->place(graph, machine);
  const double taken = seconds_since(begin);
  check(placement, graph, machine);
  if (prints) {
    const Quality quality = assess(graph, machine, placement);
    std::printf("%d ranks, %zu objects, %s: imbalance %.4f, %llu objects moved, %.3f s\n",
                machine.ranks, graph.size(), name.c_str(), quality.imbalance,
                static_cast<unsigned long long>(quality.moved_objects), taken);
  }
  return taken;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Settings settings = bench::read_settings(argc, argv);
  settings.repeats = std::min(settings.repeats, 5);
  bench::Report report("decision of a strategy", "sort the loads", "us");
  for (const Size& size : {Size{2048, 13}, Size{2048, 52}, Size{131072, 13}}) {
    if (settings.is_short && size.ranks > 2048) continue;
    roam::Machine machine;
    machine.ranks = size.ranks;
    machine.workers_per_rank = 1;
    const LoadGraph graph = linear_imbalance(size);
    for (int repeat = 0; repeat < settings.repeats; ++repeat) {
      for (const char* name :
           {"greedy", "refine", "hierarchical", "hybrid", "chains", "recursive_bisection"}) {
        const double sorted = sort_loads(graph);
        report.add(std::string(name) + ", " + std::to_string(size.ranks) + " ranks, " +
                       std::to_string(size.objects_per_rank) + " objects each",
                   sorted, measure(name, graph, machine, repeat == 0));
      }
    }
  }
  report.finish(settings);
  return 0;
}
