// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <string>

#include "support/command_line.hpp"

namespace jacobi {

namespace {

void check(const Settings& settings) {
  for (const auto* given : {&settings.blocks, &settings.side}) {
    if (given->size() != 1 && given->size() != static_cast<std::size_t>(settings.dimensions)) {
      throw CLI::ValidationError("--blocks and --side need one number, or " +
                                 std::to_string(settings.dimensions));
    }
  }
  double cells = 1;
  for (int d = 0; d < settings.dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    cells *=
        static_cast<double>(settings.blocks.size() == 1 ? settings.blocks[0] : settings.blocks[i]) *
        static_cast<double>(settings.side.size() == 1 ? settings.side[0] : settings.side[i]);
  }
  if (cells > 1e11) throw CLI::ValidationError("--blocks and --side make more than 1e11 cells");
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Jacobi's iteration on a plate or cube of blocks.\nRoam's own options are listed by "
      "--roam-help.");
  app.add_option("--dimensions", settings.dimensions, "2 (a plate) or 3 (a cube)")
      ->check(CLI::Range(2, 3))
      ->capture_default_str();
  app.add_option("--blocks", settings.blocks,
                 "blocks, each way, or in each direction: 4,2 (plain MPI: one per process)")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--side", settings.side, "cells of a block, each way, or in each direction")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--steps", settings.steps, "steps")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_flag("!--no-check", settings.is_checked, "do not compare with a serial sweep");
  return support::parse(app, argc, argv, [&] { check(settings); });
}

}  // namespace jacobi
