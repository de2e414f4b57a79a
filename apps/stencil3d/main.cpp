// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <roam/roam.hpp>

#include "block.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace stencil3d {

namespace {

roam::Task<> iterate(roam::Runtime& rt, const Settings& settings) {
  support::require(settings.start, rt);
  Grid grid;
  if (rt.rank() == 0) {
    const Place extent{settings.blocks[0], settings.blocks[1], settings.blocks[2]};
    grid = co_await rt.create_collection<Block>(extent, support::placement_of<3>(settings.start));
    const Work work{grid, Mode{settings.cells, settings.waves}, settings.repeat, settings.is_uneven,
                    settings.cell_seconds};
    co_await grid.for_all<&Block::set>(work);
  }
  const std::function<void(std::int64_t, std::int64_t)> go_on =
      [&](std::int64_t, std::int64_t last) { grid.broadcast<&Block::run_to>(last); };
  const support::RunFigures figures =
      co_await support::run_in_phases(rt, settings.steps, settings.phase_steps, go_on);
  if (rt.rank() != 0) co_return;
  const Outcome outcome = co_await grid.reduce<&Block::outcome, std::plus<>>();
  check(settings, outcome);
  report(settings, figures, outcome);
}

}  // namespace
}  // namespace stencil3d

int main(int argc, char** argv) {
  return roam::main(argc, argv, stencil3d::read_settings, stencil3d::iterate);
}
