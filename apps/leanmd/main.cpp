// SPDX-License-Identifier: Apache-2.0
#include <functional>
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
  support::require(settings.start, rt);
  World world;
  if (rt.rank() == 0) world = co_await make_world(rt, settings);
  const std::function<void(std::int64_t, std::int64_t)> go_on =
      [&](std::int64_t, std::int64_t last) { world.cells.broadcast<&Cell::run_to>(last); };
  const support::RunFigures figures =
      co_await support::run_in_phases(rt, settings.steps, settings.phase_steps, go_on);
  if (rt.rank() != 0) co_return;
  const Outcome outcome = outcome_of(co_await world.cells.reduce<&Cell::result, Joined>());
  check(settings, outcome);
  report(settings, figures, outcome);
}

}  // namespace
}  // namespace leanmd

int main(int argc, char** argv) {
  return roam::main(argc, argv, leanmd::read_settings, leanmd::simulate);
}
