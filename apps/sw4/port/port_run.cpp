// SPDX-License-Identifier: Apache-2.0
#include "port/port_run.hpp"

#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "port/block.hpp"
#include "port/world.hpp"
#include "run/report.hpp"
#include "support/phased_run.hpp"

namespace sw4 {
namespace {

bool balances(roam::Runtime& rt) { return rt.options().balancer.name != "none"; }

/// One block for each worker, as the plain program has one for each process; more to choose from
/// where they are moved. Fewer if they were too narrow.
std::array<std::int32_t, 2> blocks_of(roam::Runtime& rt, const PortSettings& settings) {
  if (settings.blocks[0] > 0) return settings.blocks;
  const Grid& grid = settings.wave.grid;
  std::int32_t count = rt.size() * static_cast<std::int32_t>(rt.workers()) * (balances(rt) ? 4 : 1);
  std::array<std::int32_t, 2> blocks = cut_of(grid, count);
  while (grid.points[0] / blocks[0] < Extent::halo || grid.points[1] / blocks[1] < Extent::halo)
    blocks = cut_of(grid, --count);
  return blocks;
}

void check(const Wave& wave, const std::vector<Trace>& traces) {
  if (traces != run_alone(wave)) {
    throw roam::Error("the seismograms are not those of a run without blocks");
  }
  std::printf("the seismograms are those of a run without blocks, to the last bit\n");
}

void report(const PortSettings& settings, const Wave& wave, const support::RunFigures& figures,
            std::int32_t blocks) {
  figures.print_job();
  print_figures(wave, blocks, figures.total_seconds);
  std::printf("moves             %llu\n", static_cast<unsigned long long>(figures.run.migrations));
  if (settings.json.empty()) return;
  const nlohmann::ordered_json own{
      {"points", settings.wave.points()}, {"blocks", blocks}, {"steps", wave.steps()}};
  support::write_json(figures.json("sw4", own), settings.json);
}

}  // namespace

roam::Task<> run_port(roam::Runtime& rt, const PortSettings& settings) {
  World& world = rt.local<World>();
  world.wave = std::make_unique<const Wave>(settings.wave);
  world.point_seconds = settings.point_seconds;
  const Wave& wave = *world.wave;
  const std::array<std::int32_t, 2> count = blocks_of(rt, settings);
  co_await rt.barrier();  // all ranks have their World
  Blocks blocks;
  if (rt.rank() == 0) {
    const roam::Index<2> extent{count[0], count[1]};
    blocks = co_await rt.create_collection<Block>(extent,
                                                  support::placement_of<2>(support::Start::tree));
    co_await blocks.for_all<&Block::set>(blocks);
  }
  const std::function<void(std::int64_t, std::int64_t)> go_on =
      [&](std::int64_t, std::int64_t last) { blocks.broadcast<&Block::run_to>(last); };
  const std::int64_t of_phase = balances(rt) ? settings.phase_steps : wave.steps();
  const support::RunFigures figures =
      co_await support::run_in_phases(rt, wave.steps(), of_phase, go_on);
  if (rt.rank() == 0) blocks.broadcast<&Block::tell_traces>();
  co_await rt.quiescence();
  if (rt.rank() != 0) co_return;
  std::vector<Trace> traces = rt.local<Recorder>().take();
  traces.resize(settings.wave.receivers.size());
  wave.write(traces);
  report(settings, wave, figures, count[0] * count[1]);
  if (settings.is_checked) check(wave, traces);
}

}  // namespace sw4
