// SPDX-License-Identifier: Apache-2.0
// What mappings cost and how long they take, beside Scotch and TreeMatch, from shuffled numberings:
// known optima, LeanMD against bricks made by hand, exact sizes, sparse assignment; and, where
// files are given, meshes, matrices of MPI codes and quadratic assignment problems. Quality first,
// then time: processor time of one thread, so that other programs do not count.
//   bench_mapping [--short] [--repeats N] [--json FILE]     N shuffles, 20 if not said
//     [--metis FILE]... [--matrix FILE]... [--qaplib FILE]... [--only NAME]
#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <roam/topology/detail/assignment/assign.hpp>
#include <roam/topology/detail/mapping/map_to_distances.hpp>
#include <roam/topology/detail/mapping/map_to_tree.hpp>
#include <roam/topology/detail/mapping/treematch.hpp>

#include "../support/arguments.hpp"
#include "../support/processor_time.hpp"
#include "../support/report.hpp"
#include "mapping_cases.hpp"
#include "scotch_mapping.hpp"

namespace {

using namespace roam::topology;

/// What one method reached in each shuffle.
struct Values {
  std::vector<double> ratio, milliseconds, imbalance;
  [[nodiscard]] bool empty() const { return ratio.empty(); }
};

class Table {
 public:
  void add(const std::string& name, const std::string& method, const Values& values,
           double target_ratio, double target_ms) {
    if (values.empty()) return;
    const double ratio = bench::quantile(values.ratio, 0.5);
    const double milliseconds = bench::quantile(values.milliseconds, 0.5);
    const double imbalance = std::ranges::max(values.imbalance);
    const bool is_reached = ratio <= target_ratio * (1 + 1e-9) && milliseconds <= target_ms;
    std::printf("%-36s %-18s %8.4f %8.4f %9.4f %10.2f   %s\n", name.c_str(), method.c_str(), ratio,
                std::ranges::max(values.ratio), imbalance, milliseconds, is_reached ? "yes" : "");
    std::fflush(stdout);
    rows_.push_back({{"case", name},
                     {"method", method},
                     {"shuffles", values.ratio.size()},
                     {"ratio", ratio},
                     {"worst_ratio", std::ranges::max(values.ratio)},
                     {"best_ratio", std::ranges::min(values.ratio)},
                     {"worst_imbalance", imbalance},
                     {"milliseconds", milliseconds},
                     {"target_ratio", target_ratio},
                     {"target_milliseconds", target_ms},
                     {"is_reached", is_reached}});
  }
  static void head(int shuffles) {
    std::printf("%-36s %-18s %8s %8s %9s %10s   target reached\n", "", "", "cost /", "worst",
                "worst", "ms");
    std::printf("%-36s %-18s %8s %8s %9s %10s   (%d shuffles)\n", "", "", "known", "", "imbalance",
                "(median)", shuffles);
  }
  [[nodiscard]] const nlohmann::json& rows() const { return rows_; }

 private:
  nlohmann::json rows_ = nlohmann::json::array();
};

using Mapper =
    std::function<std::optional<Mapping>(const CommunicationGraph&, const roam::MachineTree&)>;

Values measure_mapper(const bench::MappingCase& c, int shuffles, const Mapper& mapper) {
  const auto tree = roam::parse_machine_tree(c.tree, c.name);
  Values values;
  for (int i = 1; i <= shuffles; ++i) {
    const CommunicationGraph graph =
        instances::shuffled(c.instance, static_cast<std::uint64_t>(i)).graph();
    const double begin = bench::processor_seconds();
    const std::optional<Mapping> mapping = mapper(graph, tree);
    const double taken = bench::processor_seconds() - begin;
    if (!mapping) return {};
    const double cost = communication_cost(graph, tree, *mapping);
    values.ratio.push_back(c.reference > 0 ? cost / c.reference : cost);
    values.milliseconds.push_back(1e3 * taken);
    values.imbalance.push_back(leaf_imbalance(graph, tree, *mapping));
  }
  return values;
}

void run_case(const bench::MappingCase& c, int shuffles, Table& table) {
  const auto add = [&](const char* method, int times, const Mapper& mapper) {
    table.add(c.name, method, measure_mapper(c, times, mapper), c.target_ratio, c.target_ms);
  };
  const auto tree = roam::parse_machine_tree(c.tree, c.name);
  const bool all_usable = tree.usable_leaves().size() == static_cast<std::size_t>(tree.leaves());
  if (all_usable) {
    add("Scotch, balance", shuffles,
        [&](const CommunicationGraph& graph, const roam::MachineTree& t) {
          return bench::map_by_scotch(graph, t, c.imbalance);
        });
  }
  if (all_usable && !c.is_large) {
    add("TreeMatch", shuffles,
        [](const CommunicationGraph& graph, const roam::MachineTree& t) -> std::optional<Mapping> {
          return treematch(graph, t);
        });
  }
  if (!all_usable) {
    for (const std::uint32_t tries : {10U, 1000U}) {
      const std::string name = "TreeMatch, " + std::to_string(tries) + " tries";
      add(name.c_str(), std::min(shuffles, 5),
          [tries](const CommunicationGraph& graph,
                  const roam::MachineTree& t) -> std::optional<Mapping> {
            return treematch_constrained(graph, t, {.tries = tries});
          });
    }
  }
  for (const auto& [effort, name] : {std::pair(MappingEffort::fast, "Roam, fast"),
                                     {MappingEffort::normal, "Roam, normal"},
                                     {MappingEffort::thorough, "Roam, thorough"}}) {
    const bool is_long = c.is_large && effort == MappingEffort::thorough;
    add(name, is_long ? std::min(shuffles, 3) : shuffles,
        [&](const CommunicationGraph& graph, const roam::MachineTree& t) -> std::optional<Mapping> {
          return map_to_tree(graph, t, {.imbalance = c.imbalance, .effort = effort});
        });
  }
}

void run_qap(const bench::QapCase& c, int seeds, Table& table) {
  const CommunicationGraph graph = c.instance.graph();
  const auto run = [&](std::uint64_t exchanges, std::uint64_t seed, Values& values) {
    const double begin = bench::processor_seconds();
    const auto places =
        map_to_distances(graph, c.distances, {.exchanges = exchanges, .seed = seed});
    values.milliseconds.push_back(1e3 * (bench::processor_seconds() - begin));
    const double cost = distance_cost(graph, c.distances, places);
    values.ratio.push_back(c.known.reference > 0 ? cost / c.known.reference : cost);
    values.imbalance.push_back(0);
  };
  // Makes as many exchanges as are possible in the target's time on this machine.
  Values trial;
  run(2000, 99, trial);
  const double target_ms = c.known.target_ms > 0 ? c.known.target_ms : 1000;
  const auto exchanges =
      static_cast<std::uint64_t>(0.95 * 2000 * target_ms / trial.milliseconds.front());
  Values values;
  for (int seed = 1; seed <= seeds; ++seed)
    run(exchanges, static_cast<std::uint64_t>(seed), values);
  table.add(c.name, std::to_string(exchanges / 1000) + " k exchanges", values, c.known.target_ratio,
            target_ms);
}

/// 10,000 rows with ten entries each, one of which is certain to be free for the row.
void run_assignment(int repeats, Table& table) {
  constexpr std::uint32_t rows = 10'000;
  for (const auto& [name, most] :
       {std::pair("costs below a million", 1'000'000U), {"costs below 50", 50U}}) {
    Values values;
    for (int i = 0; i < repeats; ++i) {
      roam::core::Random random(static_cast<std::uint64_t>(i + 1));
      std::vector<AssignmentEntry> entries;
      for (std::uint32_t row = 0; row < rows; ++row) {
        entries.push_back({row, row, most});
        for (int k = 0; k < 9; ++k) {
          entries.push_back({row, static_cast<std::uint32_t>(random.below(rows)),
                             static_cast<std::int64_t>(random.below(most))});
        }
      }
      const double begin = bench::processor_seconds();
      const auto column = assign(SparseCosts(rows, rows, entries));
      values.milliseconds.push_back(1e3 * (bench::processor_seconds() - begin));
      values.ratio.push_back(column.size() == rows ? 1 : 0);
      values.imbalance.push_back(0);
    }
    table.add(std::string("assignment, ") + name, "100,000 entries", values, 1, 120);
  }
}

std::vector<std::string> take_all(int& argc, char** argv, const char* name) {
  std::vector<std::string> values;
  while (const char* const value = bench::take_argument(argc, argv, name, true)) {
    values.emplace_back(value);
  }
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  const auto meshes = take_all(argc, argv, "--metis");
  const auto matrices = take_all(argc, argv, "--matrix");
  const auto problems = take_all(argc, argv, "--qaplib");
  const auto only = take_all(argc, argv, "--only");
  bench::Settings settings = bench::read_settings(argc, argv);
  if (settings.repeats == 15) settings.repeats = 20;
  const auto wanted = [&](const std::string& name) {
    return only.empty() || std::ranges::any_of(only, [&](const std::string& part) {
             return name.find(part) != std::string::npos;
           });
  };
  std::vector<bench::MappingCase> cases = bench::known_cases();
  for (const std::string& path : matrices) cases.push_back(bench::read_matrix(path));
  for (const std::string& path : meshes) cases.push_back(bench::read_metis(path));
  Table table;
  Table::head(settings.repeats);
  for (const bench::MappingCase& c : cases) {
    if ((settings.is_short && c.is_large) || !wanted(c.name)) continue;
    run_case(c, settings.repeats, table);
  }
  for (const std::string& path : problems) {
    const bench::QapCase problem = bench::read_qaplib(path);
    if (wanted(problem.name)) run_qap(problem, std::min(settings.repeats, 5), table);
  }
  if (wanted("assignment")) run_assignment(settings.is_short ? 1 : 5, table);
  bench::write_json(settings.json, {{"benchmark", "mapping"},
                                    {"unit", "milliseconds of processor time"},
                                    {"shuffles", settings.repeats},
                                    {"rows", table.rows()}});
  return 0;
}
