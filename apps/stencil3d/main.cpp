// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <roam/roam.hpp>

#include "block.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace stencil3d {

namespace {

roam::Task<> iterate(roam::Runtime& rt, const Settings& settings) {
  if (const std::string problem = support::problem_with(settings.start, rt.size());
      !problem.empty()) {
    throw roam::Error(problem);
  }
  Figures figures;
  figures.ranks = rt.size();
  figures.balancer = rt.options().balancer.name;
  Grid grid;
  if (rt.rank() == 0) {
    const Place extent{settings.blocks[0], settings.blocks[1], settings.blocks[2]};
    grid = co_await rt.create_collection<Block>(extent, support::placement_of<3>(settings.start));
    const Work work{grid, Mode{settings.cells, settings.waves}, settings.repeat, settings.is_uneven,
                    settings.cell_seconds};
    co_await grid.for_all<&Block::set>(work);
  }
  co_await rt.quiescence();
  rt.begin_measurement();
  const roam::Instant begin = rt.now();
  figures.phases.begin(begin);
  for (std::int64_t step = 0; step < settings.steps;) {
    const std::int64_t next = std::min(settings.steps, step + settings.phase_steps);
    if (rt.rank() == 0) grid.broadcast<&Block::run_to>(next);
    figures.phases.note(co_await rt.phase(), next - step);
    step = next;
  }
  figures.total_seconds = roam::seconds(rt.now() - begin);
  rt.end_measurement();
  figures.run = co_await rt.summarise_statistics();
  if (rt.rank() != 0) co_return;
  figures.outcome = co_await grid.reduce<&Block::outcome, std::plus<>>();
  check(settings, figures.outcome);
  report(settings, figures);
}

}  // namespace
}  // namespace stencil3d

int main(int argc, char** argv) {
  return roam::main(argc, argv, stencil3d::read_settings, stencil3d::iterate);
}
