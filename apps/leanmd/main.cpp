// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <roam/roam.hpp>

#include "cell.hpp"
#include "computation.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace leanmd {

namespace {

roam::Task<World> make_world(roam::Runtime& rt, const Settings& settings) {
  const md::CellIndex& cells = settings.model.cells.extent();
  const roam::Index<3> extent{cells[0], cells[1], cells[2]};
  const roam::Index<2> computations{settings.model.cells.count(),
                                    settings.model.cells.computations()};
  World world;
  world.cells =
      co_await rt.create_collection<Cell>(extent, support::placement_of<3>(settings.start));
  world.computations = co_await rt.create_collection<Computation>(
      computations, placement_of(settings.computations, settings.start));
  world.model = settings.model;
  world.pair_seconds = settings.pair_seconds;
  world.atom_seconds = settings.atom_seconds;
  co_await world.computations.for_all<&Computation::set>(world);
  co_await world.cells.for_all<&Cell::set>(world);
  co_return world;
}

roam::Task<> simulate(roam::Runtime& rt, const Settings& settings) {
  if (const std::string problem = support::problem_with(settings.start, rt.size());
      !problem.empty()) {
    throw roam::Error(problem);
  }
  Figures figures;
  figures.ranks = rt.size();
  figures.balancer = rt.options().balancer.name;
  World world;
  if (rt.rank() == 0) world = co_await make_world(rt, settings);
  co_await rt.quiescence();
  rt.begin_measurement();
  const roam::Instant begin = rt.now();
  figures.phases.begin(begin);
  for (std::int64_t step = 0; step < settings.steps;) {
    const std::int64_t next = std::min(settings.steps, step + settings.phase_steps);
    if (rt.rank() == 0) world.cells.broadcast<&Cell::run_to>(next);
    figures.phases.note(co_await rt.phase(), next - step);
    step = next;
  }
  figures.total_seconds = roam::seconds(rt.now() - begin);
  rt.end_measurement();
  const roam::RunSummary summary = co_await rt.summarise_statistics();
  if (rt.rank() != 0) co_return;
  figures.busy_seconds = summary.mean_busy_seconds;
  figures.messages_sent = summary.messages_sent;
  figures.migrations = summary.migrations;
  const Outcome outcome = outcome_of(co_await world.cells.reduce<&Cell::result, Joined>());
  check(settings, outcome);
  report(settings, figures, outcome);
}

}  // namespace
}  // namespace leanmd

int main(int argc, char** argv) {
  return roam::main(argc, argv, leanmd::read_settings, leanmd::simulate);
}
