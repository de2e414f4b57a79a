// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

#include "choices.hpp"
#include "output.hpp"
#include "roam/balance/lb_data.hpp"
#include "roam/core/error.hpp"

namespace roam_balance {

namespace {

using namespace roam::balance;

/// Applies one strategy to a phase and prints what it reaches. A strategy that needs what the data
/// does not have says so in its row.
Placement try_strategy(const Choices::Named& named, const LoadGraph& graph,
                       const roam::Machine& machine, int width) {
  const auto begin = std::chrono::steady_clock::now();
  Placement placement;
  try {
    placement = named.strategy->place(graph, machine);
  } catch (const roam::Error& error) {
    print_failure(named.name, width, error.what());
    return graph.rank;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  check(placement, graph, machine);
  print_row(named.name, width, assess(graph, machine, placement), taken.count());
  return placement;
}

void balance(const Choices& choices, LbData& data) {
  roam::Machine machine;
  machine.ranks = std::max(1, data.ranks);
  machine.workers_per_rank = 1;
  int width = 8;
  for (const auto& named : choices.strategies) {
    width = std::max(width, static_cast<int>(named.name.size()));
  }
  bool found = false;
  for (LbData::Phase& phase : data.phases) {
    if (choices.phase >= 0 && phase.id != choices.phase) continue;
    found = true;
    check(phase.graph, machine);
    print_phase(phase, assess(phase.graph, machine, phase.graph.rank));
    print_header(width);
    for (const auto& named : choices.strategies) {
      Placement placement = try_strategy(named, phase.graph, machine, width);
      if (!choices.output.empty()) phase.graph.rank = std::move(placement);
    }
  }
  if (!found) throw roam::ConfigError("--phase: the data has no such phase");
  if (!choices.output.empty()) write(data, choices.output);
}

int run(int argc, char** argv) {
  Choices choices;
  if (const int status = read_choices(argc, argv, choices); status >= 0) return status;
  LbData data = read_lb_data(choices.paths);
  std::printf("%zu files, %d ranks, %zu phases\n", choices.paths.size(), data.ranks,
              data.phases.size());
  balance(choices, data);
  return 0;
}

}  // namespace
}  // namespace roam_balance

int main(int argc, char** argv) {
  try {
    return roam_balance::run(argc, argv);
  } catch (const roam::ConfigError& error) {
    std::fprintf(stderr, "roam-balance: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "roam-balance: %s\n", error.what());
    return 1;
  }
}
