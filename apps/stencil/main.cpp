// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

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
  return roam::main(argc, argv, stencil::read_settings, stencil::iterate);
}
