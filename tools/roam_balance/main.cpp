// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "choices.hpp"
#include "output.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/detail/lb_data.hpp"
#include "support/program.hpp"

namespace roam_balance {

namespace {

using namespace roam::placement;

/// Applies one strategy to a phase and prints the result. If the data lack what a strategy needs,
/// its row says so, and there is no placement.
std::optional<Placement> try_strategy(const Choices::Named& named, const LoadGraph& graph,
                                      const roam::Machine& machine, const Layout& layout) {
  const auto begin = std::chrono::steady_clock::now();
  Placement placement;
  try {
    placement = named.strategy->place(graph, machine);
  } catch (const roam::Error& error) {
    print_failure(named.name, layout, error.what());
    return {};
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  check(placement, graph, machine);
  const Quality after = assess(graph, machine, placement);
  print_row(named.name, layout, after, taken.count());
  print_levels(layout, graph, placement);
  std::optional<Quality> modest;
  if (named.name.starts_with("refine")) {
    const auto strategy = make_strategy(roam::PluginChoice{"refine", {}});
    modest = assess(graph, machine, strategy->place(graph, machine));
  }
  print_notes(named.name, graph, assess(graph, machine, graph.rank), after, modest);
  return placement;
}

void check_phase(const LbData::Phase& phase, const roam::Machine& machine) {
  try {
    check(phase.graph, machine);
  } catch (const roam::Error& error) {
    throw roam::ConfigError("phase " + std::to_string(phase.id) + ": " + error.what());
  }
}

/// The machine for a recording. Loads were measured with whatever the ranks had, so only the
/// network of the machine is used. Like --roam-ranks, a recording may have fewer ranks than the
/// machine's description.
roam::Machine machine_for(const Choices& choices, const LbData& data) {
  roam::Machine machine;
  machine.ranks = std::max(1, data.ranks);
  machine.workers_per_rank = 1;
  if (!choices.machine) return machine;
  if (choices.machine->ranks < machine.ranks) {
    throw roam::ConfigError("--machine: it has " + std::to_string(choices.machine->ranks) +
                            " ranks, the data " + std::to_string(machine.ranks));
  }
  if (choices.machine->ranks > machine.ranks) {
    std::printf("of the machine's %d ranks, the data has the first %d\n", choices.machine->ranks,
                machine.ranks);
  }
  machine.network = choices.machine->network;
  roam::check(machine, "--machine");
  return machine;
}

/// Prints a table for each phase, and places its objects as the last strategy does. Returns false
/// if a strategy that was asked for by name could not place them.
bool balance(const Choices& choices, LbData& data) {
  const roam::Machine machine = machine_for(choices, data);
  Layout layout;
  if (choices.machine) layout.tree = roam::tree_of(machine);
  for (const auto& named : choices.strategies) {
    layout.strategy_width = std::max(layout.strategy_width, static_cast<int>(named.name.size()));
  }
  for (const LbData::Phase& phase : data.phases) check_phase(phase, machine);
  bool all_can = true;
  for (LbData::Phase& phase : data.phases) {
    if (choices.memory_bytes > 0) phase.graph.memory.limit_bytes = choices.memory_bytes;
    layout.has_memory = phase.graph.memory.is_known();
    print_phase(phase, assess(phase.graph, machine, phase.graph.rank));
    print_levels(layout, phase.graph, phase.graph.rank);
    print_header(layout);
    std::optional<Placement> placement;
    for (const auto& named : choices.strategies) {
      placement = try_strategy(named, phase.graph, machine, layout);
      all_can = all_can && (placement || !named.must_run);
    }
    if (choices.output.empty() || !placement) continue;
    phase.graph.rank = std::move(*placement);
    const Quality after = assess(phase.graph, machine, phase.graph.rank);
    const MemoryNeeds& memory = phase.graph.memory;
    all_can = all_can && !(memory.is_limited() && after.max_memory_bytes > memory.limit_bytes);
  }
  return all_can;
}

int run(int argc, char** argv) {
  Choices choices;
  if (const int status = read_choices(argc, argv, choices); status >= 0) return status;
  LbData data = read_lb_data(choices.paths, choices.phase);
  if (data.phases.empty() && choices.phase) {
    throw roam::ConfigError("--phase: the data has no such phase");
  }
  const bool has_memory = std::ranges::any_of(
      data.phases, [](const LbData::Phase& phase) { return phase.graph.memory.is_known(); });
  if (choices.memory_bytes > 0 && !has_memory) {
    throw roam::ConfigError("--memory: the data does not say what objects need of memory");
  }
  std::printf("%zu files, %d ranks, %zu phases\n", choices.paths.size(), data.ranks,
              data.phases.size());
  const bool all_can = balance(choices, data);
  if (!choices.output.empty() && all_can) write_lb_data(data, choices.output);
  if (all_can) return 0;
  std::fprintf(stderr, "roam-balance: not every strategy could place the objects (see above)%s\n",
               choices.output.empty() ? "" : "; nothing is written");
  return 1;
}

}  // namespace
}  // namespace roam_balance

int main(int argc, char** argv) {
  return roam_tools::run_program("roam-balance", roam_balance::run, argc, argv);
}
