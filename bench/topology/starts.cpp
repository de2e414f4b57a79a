// SPDX-License-Identifier: Apache-2.0
// What strategies make of communication on a machine of 2 x 4 cores a node, from four starts: in
// the order of the tree, packages alternating, nodes cyclic, shuffled. The cost of communication
// (distances 100 between nodes, 10 between packages, 1 inside) over that of the best placement
// known, objects moved, and the processor time of the decision, the least of N.
//   bench_starts [--short] [--repeats N] [--json FILE] [--strategy NAME]
//     --short: the small ones alone, decided once; N: 3 if not said; NAME: this strategy alone
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <roam/core/detail/machine_tree.hpp>
#include <roam/placement/strategy.hpp>
#include <roam/topology/detail/mapping/measures.hpp>
#include <string>
#include <vector>

#include "../../tests/support/communication_instances.hpp"
#include "../support/arguments.hpp"
#include "../support/processor_time.hpp"
#include "../support/report.hpp"

namespace {

using namespace roam::placement;

constexpr std::array starts = {"tree", "packages", "nodes", "shuffled"};

struct Case {
  std::string name;
  instances::Instance communication;
  std::int32_t nodes;
  double best;  ///< known cost
};

/// A byte costs 1 inside a package, 10 inside a node, 100 between nodes.
roam::Machine machine_of(std::int32_t nodes) {
  roam::Machine machine;
  machine.ranks = 8 * nodes;
  machine.workers_per_rank = 1;
  machine.network = {{.name = "package", .group_ranks = 4},
                     {.name = "node", .group_ranks = 8},
                     {.name = "machine"}};
  double bandwidth = 100e9;
  for (roam::NetworkLevel& level : machine.network) {
    level.overhead_seconds = level.gap_seconds = 0;
    level.bandwidth_bytes_per_second = bandwidth;
    bandwidth /= 10;
  }
  return machine;
}

/// Where the object starts that a blocked order puts on `rank`.
std::int32_t started(std::size_t start, std::int32_t rank, std::int32_t ranks) {
  const std::int32_t nodes = ranks / 8;
  if (start == 1) return rank / 8 * 8 + rank % 2 * 4 + rank % 8 / 2;
  if (start == 2) return rank % nodes * 8 + rank / nodes;
  return rank;
}

LoadGraph graph_of(const Case& c, std::size_t start) {
  LoadGraph graph;
  const std::int32_t ranks = 8 * c.nodes;
  graph.seconds = c.communication.loads;
  if (graph.seconds.empty()) graph.seconds.assign(c.communication.objects, 1);
  // LeanMD lists its computations after its cells; each fifteenth of the ranks' order holds both.
  const std::uint32_t groups =
      c.communication.loads.empty() ? c.communication.objects : c.communication.objects / 15;
  for (std::uint32_t i = 0; i < c.communication.objects; ++i) {
    const std::uint32_t group = i < groups ? i : (i - groups) / 14;
    const auto rank = static_cast<std::int32_t>(static_cast<std::uint64_t>(group) *
                                                static_cast<std::uint64_t>(ranks) / groups);
    graph.rank.push_back(started(start, rank, ranks));
    graph.bytes.push_back(1000);
  }
  if (start == 3) {
    roam::core::Random random(1);
    for (std::size_t i = graph.rank.size(); i > 1; --i) {
      std::swap(graph.rank[i - 1], graph.rank[random.below(i)]);
    }
  }
  for (const auto& pair : c.communication.communications)
    graph.links.push_back({pair.a, pair.b, 1e6 * pair.amount});
  return graph;
}

double cost(const Case& c, const roam::MachineTree& tree, const Placement& placement) {
  return roam::topology::measure(c.communication.communications, tree, placement).cost;
}

nlohmann::json run(const Case& c, std::size_t start, const std::string& choice, double best,
                   int repeats) {
  const roam::Machine machine = machine_of(c.nodes);
  const auto tree = roam::tree_of(machine).with_distances(std::array{100.0, 10.0, 1.0});
  const LoadGraph graph = graph_of(c, start);
  const auto strategy = make_strategy({choice, {}});
  std::vector<double> seconds;
  Placement placement;
  for (int i = 0; i < repeats; ++i) {
    const double begin = bench::processor_seconds();
    placement = strategy->place(graph, machine);
    seconds.push_back(bench::processor_seconds() - begin);
  }
  const double least = std::ranges::min(seconds);
  const Quality quality = assess(graph, machine, placement);
  const double over_best = cost(c, tree, placement) / best;
  std::printf("%-16s %-9s %-22s %9.3f %9.3f %9llu %10.4g\n", c.name.c_str(), starts[start],
              choice.c_str(), over_best, quality.imbalance,
              static_cast<unsigned long long>(quality.moved_objects), 1e3 * least);
  return {{"case", c.name},
          {"start", starts[start]},
          {"strategy", choice},
          {"cost_over_best", over_best},
          {"imbalance", quality.imbalance},
          {"moved_objects", quality.moved_objects},
          {"seconds", least}};
}

}  // namespace

int main(int argc, char** argv) {
  const char* const only = bench::take_argument(argc, argv, "--strategy", true);
  bench::Settings settings = bench::read_settings(argc, argv);
  if (settings.repeats == 15) settings.repeats = 3;
  if (settings.is_short) settings.repeats = 1;
  std::vector<Case> cases = {{"kneighbor 256", instances::ring(256), 8, 11136},
                             {"stencil3d 4^3", instances::torus(4), 8, 9984},
                             {"leanmd 4^3", instances::leanmd(4), 8, 1943.0 * 64}};
  if (!settings.is_short) {
    cases.push_back({"leanmd 16^3", instances::leanmd(16), 512, 1943.0 * 4096});
  }
  std::vector<std::string> choices = {"none", "refine_comm", "topology"};
  const auto known = strategies();
  if (std::ranges::any_of(known, [](const StrategyKind* kind) { return kind->name == "graph"; })) {
    choices.insert(choices.begin() + 2, "graph");
  }
  std::printf("%-16s %-9s %-22s %9s %9s %9s %10s\n", "case", "start", "strategy", "cost/best",
              "imbalance", "moved", "decided ms");
  nlohmann::json rows = nlohmann::json::array();
  for (const Case& c : cases) {
    std::vector<std::string> of_case = choices;
    // The published strategies take time proportional to the square of the number of objects.
    if (c.communication.objects < 5000) {
      of_case.insert(of_case.end(), {"treematch_min_weight", "treematch_tree_based"});
    }
    for (std::size_t start = 0; start < starts.size(); ++start) {
      for (const std::string& choice : of_case) {
        if (only != nullptr && choice != only) continue;
        rows.push_back(run(c, start, choice, c.best, settings.repeats));
      }
    }
  }
  bench::write_json(settings.json, {{"benchmark", "starts"}, {"rows", rows}});
  return 0;
}
