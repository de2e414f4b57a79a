// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>
#include <vector>

#include "block.hpp"
#include "report.hpp"
#include "serial.hpp"
#include "settings.hpp"

namespace stencil {

namespace {

roam::Task<> iterate(roam::Runtime& rt, const Settings& settings) {
  Figures figures;
  figures.balancer = rt.options().balancer.name;
  const Place size{settings.blocks, settings.blocks};
  Grid grid;
  if (rt.rank() == 0) {
    grid = co_await rt.create_collection<Block>(size, roam::Placement::block());
  }
  co_await rt.quiescence();
  rt.begin_measurement();
  if (rt.rank() == 0) {
    grid.broadcast<&Block::start>(grid, settings.blocks, settings.block_side, settings.steps,
                                  rt.options().simulate ? settings.cell_seconds : 0.0);
  }
  co_await rt.quiescence();
  rt.end_measurement();
  const auto statistics = co_await rt.gather_statistics();
  if (rt.rank() != 0) co_return;
  figures.fingerprint = co_await grid.reduce<&Block::fingerprint_of_all, std::plus<>>();
  if (settings.is_checked && figures.fingerprint != serial_fingerprint(settings)) {
    throw roam::Error("the plate is not as computed serially");
  }
  report(settings, figures, statistics);
}

}  // namespace
}  // namespace stencil

int main(int argc, char** argv) {
  // Roam's options are taken out of a copy first, so that the rest are this program's.
  std::vector<char*> arguments(argv, argv + argc + 1);
  int left = argc;
  stencil::Settings settings;
  try {
    const roam::ParsedArguments parsed = roam::take_options(left, arguments.data());
    if (!parsed.help) {
      const int status = stencil::read_settings(left, arguments.data(), settings);
      if (status >= 0) return status;
    }
  } catch (const roam::ConfigError&) {
    // Reported below.
  }
  return roam::run(argc, argv,
                   [&settings](roam::Runtime& rt) { return stencil::iterate(rt, settings); });
}
