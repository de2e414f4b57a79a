// SPDX-License-Identifier: Apache-2.0
// Unbalanced Tree Search by the application uts: how efficient one and two real ranks of one
// process and simulated ranks are, balanced by `auto` and `work_stealing`. All work begins on rank
// 0. Efficiency is what the tree takes one worker without Roam, divided by the time of all workers
// together; in real runs it is measured before and after each search, on all workers at once.
//   bench_tree_search [--short] [--repeats N] [--json FILE]       --short: T1 on few ranks
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "../../apps/uts/search.hpp"
#include "../support/report.hpp"
#include "../support/settings.hpp"

namespace {

struct Row {
  const char* tree;
  std::int32_t ranks;
  bool is_simulated;
  std::uint64_t nodes_per_call;  // of 0.17 us each on the simulated machine
  std::uint64_t keep;
};

uts::Settings search_of(const Row& row) {
  uts::Settings search;
  const auto& trees = uts::named_trees();
  const auto found = std::ranges::find(trees, std::string(row.tree), &uts::NamedTree::name);
  search.name = row.tree;
  search.tree = found->tree;
  search.known_nodes = found->nodes;
  search.nodes_per_call = row.nodes_per_call;
  search.keep = row.keep;
  search.compares = true;
  return search;
}

double efficiency_of(const Row& row, const char* balancer) {
  roam::Options options;
  options.scheduler.name = "lifo";  // depth first, as the application does
  options.balancer.name = row.ranks > 1 ? balancer : "none";
  options.workers = 1;
  if (row.is_simulated) {
    options.simulate = roam::Machine{};
    options.simulate->ranks = row.ranks;
    options.simulate->workers_per_rank = 1;
  } else {
    options.transport = "in-process";
    options.ranks = row.ranks;
    options.ranks_given = true;
  }
  const uts::Settings search = search_of(row);
  uts::Result result;
  const int status = roam::run(options, [&](roam::Runtime& rt) -> roam::Task<> {
    co_await uts::search(rt, search, result);
    if (rt.rank() == 0) uts::check_nodes(search, result);
  });
  if (status != 0) std::exit(status);
  return uts::efficiency(result);
}

nlohmann::json measure(const Row& row, const char* balancer, int repeats) {
  std::vector<double> all;
  // Virtual time is the same in every run.
  for (int i = 0; i < (row.is_simulated ? 1 : repeats); ++i)
    all.push_back(efficiency_of(row, balancer));
  std::ranges::sort(all);
  const double median = all[all.size() / 2];
  std::printf("  %-5s %6d %-9s %5llu %5llu  %-13s  %6.3f", row.tree, row.ranks,
              row.is_simulated ? "simulated" : "real",
              static_cast<unsigned long long>(row.nodes_per_call),
              static_cast<unsigned long long>(row.keep), row.ranks > 1 ? balancer : "-", median);
  if (all.size() > 1) std::printf("   (%.3f to %.3f)", all.front(), all.back());
  std::printf("\n");
  std::fflush(stdout);
  return {{"tree", row.tree},
          {"ranks", row.ranks},
          {"simulated", row.is_simulated},
          {"nodes_per_call", row.nodes_per_call},
          {"keep", row.keep},
          {"balancer", row.ranks > 1 ? balancer : "none"},
          {"efficiency", median},
          {"least", all.front()},
          {"most", all.back()}};
}

std::vector<Row> rows_of(const bench::Settings& settings) {
  if (settings.is_short)
    return {{"T1", 1, false, 100, 0}, {"T1", 2, false, 100, 0}, {"T1", 16, true, 100, 0}};
  return {{"T1", 1, false, 100, 0},  {"T1", 2, false, 100, 0},   {"T1", 1, false, 12, 200},
          {"T1", 2, false, 12, 200}, {"T1", 16, true, 100, 0},   {"T1", 64, true, 100, 0},
          {"T1", 256, true, 100, 0}, {"T1", 1024, true, 100, 0}, {"T3", 16, true, 100, 0},
          {"T1", 1, true, 12, 0},    {"T1", 16, true, 12, 0},    {"T1", 1, true, 12, 200},
          {"T1", 16, true, 12, 200}, {"T1L", 16, true, 100, 0},  {"T1L", 1024, true, 100, 0}};
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  std::printf("efficiency of unbalanced tree search that begins on one rank, median of repeats\n");
  std::printf("  %-5s %6s %-9s %5s %5s  %-13s  %6s\n", "tree", "ranks", "machine", "nodes", "keep",
              "balancer", "");
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : rows_of(settings)) {
    rows.push_back(measure(row, "auto", settings.repeats));
    if (row.ranks > 1) rows.push_back(measure(row, "work_stealing", settings.repeats));
  }
  bench::write_json(settings.json, {{"benchmark", "tree search"}, {"rows", rows}});
  return 0;
}
