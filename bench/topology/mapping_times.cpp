// SPDX-License-Identifier: Apache-2.0
// How long a mapping takes as problems grow: the graphs of kNeighbor, Stencil3D and LeanMD with 64
// to about 100,000 objects under shuffled numbers, on nodes of 2 packages of 4 cores, by Roam,
// TreeMatch and Scotch, with processor time of one thread and what is reached. For other programs,
// which studies/mapping_times asks, the graphs are written in METIS's format.
//   bench_mapping_times [--short] [--repeats N] [--json FILE] [--graphs FOLDER]
//     --short: up to 1,000 objects; N shuffles, 3 if not said; graphs: of the first shuffle
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <roam/topology/detail/mapping/map_to_tree.hpp>
#include <roam/topology/detail/mapping/measures.hpp>
#include <roam/topology/detail/mapping/treematch.hpp>
#include <string>
#include <vector>

#include "../../tests/support/communication_instances.hpp"
#include "../support/arguments.hpp"
#include "../support/processor_time.hpp"
#include "../support/report.hpp"
#include "scotch_mapping.hpp"

namespace {

using namespace roam::topology;

constexpr double imbalance = 0.03;
// As in bench_mapping, which compares with it on small problems alone.
constexpr std::uint32_t most_for_treematch = 8192;

struct Problem {
  std::string program;
  instances::Instance instance;
  std::int32_t nodes;
};

std::vector<Problem> problems(bool is_short) {
  std::vector<Problem> all;
  for (const std::uint32_t side : {4U, 8U, 16U, 32U, 48U}) {
    const std::uint32_t objects = side * side * side;
    if (is_short && objects > 1000) continue;
    const auto nodes = static_cast<std::int32_t>(objects / 64);  // 8 objects for each core
    all.push_back({"kNeighbor", instances::ring(objects), nodes});
    all.push_back({"Stencil3D", instances::torus(side), nodes});
  }
  for (const std::uint32_t side : {2U, 4U, 8U, 16U, 20U}) {
    const std::uint32_t cells = side * side * side;
    if (is_short && cells > 64) continue;
    all.push_back({"LeanMD", instances::leanmd(side), static_cast<std::int32_t>(cells / 8)});
  }
  return all;
}

/// Numbers of vertices from 1, whole weights: "vertices edges 011", then for each vertex its load
/// and its neighbours with what is said.
void write_graph(const CommunicationGraph& graph, const std::string& path) {
  std::ofstream file(path);
  std::size_t edges = 0;
  for (std::uint32_t v = 0; v < graph.size(); ++v) edges += graph.of(v).size();
  file << graph.size() << ' ' << edges / 2 << " 011\n";
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    file << static_cast<long>(graph.load(v));
    for (const auto& [u, amount] : graph.of(v))
      file << ' ' << u + 1 << ' ' << static_cast<long>(amount);
    file << '\n';
  }
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    std::exit(1);
  }
}

using Mapper =
    std::function<std::optional<Mapping>(const CommunicationGraph&, const roam::MachineTree&)>;

struct Method {
  const char* name;
  std::uint32_t most_objects;
  Mapper map;
};

std::vector<Method> methods() {
  const auto ours = [](MappingEffort effort) -> Mapper {
    return [effort](const CommunicationGraph& graph, const roam::MachineTree& tree) {
      return std::optional(map_to_tree(graph, tree, {.imbalance = imbalance, .effort = effort}));
    };
  };
  return {
      {"Roam, fast", UINT32_MAX, ours(MappingEffort::fast)},
      {"Roam, normal", UINT32_MAX, ours(MappingEffort::normal)},
      {"TreeMatch", most_for_treematch,
       [](const CommunicationGraph& graph, const roam::MachineTree& tree) {
         return std::optional(treematch(graph, tree));
       }},
      {"Scotch", UINT32_MAX, [](const CommunicationGraph& graph, const roam::MachineTree& tree) {
         return bench::map_by_scotch(graph, tree, imbalance);
       }}};
}

}  // namespace

int main(int argc, char** argv) {
  const char* const graphs = bench::take_argument(argc, argv, "--graphs", true);
  bench::Settings settings = bench::read_settings(argc, argv);
  if (settings.repeats == 15) settings.repeats = 3;
  if (graphs != nullptr) std::filesystem::create_directories(graphs);
  nlohmann::json rows = nlohmann::json::array();
  std::printf("%-10s %8s %7s  %-14s %10s %14s %10s\n", "program", "objects", "cores", "method",
              "ms", "cost", "imbalance");
  for (const Problem& problem : problems(settings.is_short)) {
    const std::string shape = std::to_string(problem.nodes) + ":2:4@100:10:1";
    const auto tree = roam::parse_machine_tree(shape, problem.program);
    const std::string file =
        problem.program + "_" + std::to_string(problem.instance.objects) + ".graph";
    if (graphs != nullptr) {
      write_graph(instances::shuffled(problem.instance, 1).graph(),
                  std::filesystem::path(graphs) / file);
    }
    for (const Method& method : methods()) {
      if (problem.instance.objects > method.most_objects) continue;
      std::vector<double> milliseconds, cost, worst;
      for (int i = 1; i <= settings.repeats; ++i) {
        const CommunicationGraph graph =
            instances::shuffled(problem.instance, static_cast<std::uint64_t>(i)).graph();
        const double begin = bench::processor_seconds();
        const std::optional<Mapping> mapping = method.map(graph, tree);
        const double taken = bench::processor_seconds() - begin;
        if (!mapping) break;
        milliseconds.push_back(1e3 * taken);
        cost.push_back(communication_cost(graph, tree, *mapping));
        worst.push_back(leaf_imbalance(graph, tree, *mapping));
      }
      if (cost.empty()) continue;
      std::printf("%-10s %8u %7d  %-14s %10.2f %14.0f %10.4f\n", problem.program.c_str(),
                  problem.instance.objects, tree.leaves(), method.name,
                  bench::quantile(milliseconds, 0.5), bench::quantile(cost, 0.5),
                  std::ranges::max(worst));
      std::fflush(stdout);
      rows.push_back({{"program", problem.program},
                      {"objects", problem.instance.objects},
                      {"nodes", problem.nodes},
                      {"graph", file},
                      {"method", method.name},
                      {"milliseconds", bench::quantile(milliseconds, 0.5)},
                      {"cost", bench::quantile(cost, 0.5)},
                      {"imbalance", std::ranges::max(worst)}});
    }
  }
  bench::write_json(settings.json, {{"benchmark", "mapping_times"},
                                    {"unit", "milliseconds of processor time"},
                                    {"shuffles", settings.repeats},
                                    {"allowed_imbalance", imbalance},
                                    {"rows", rows}});
  return 0;
}
