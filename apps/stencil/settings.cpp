// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>

namespace stencil {

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Heat on a plate by Jacobi steps: a grid of equal blocks that need their neighbours' edges "
      "in "
      "every step. Balanced and tightly coupled: what balancing costs where there is nothing to "
      "gain.\nRoam's own options are listed by --roam-help.");
  app.add_option("--blocks", settings.blocks, "blocks of the grid, each way")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--block-side", settings.block_side, "cells of a block, each way")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--steps", settings.steps, "Jacobi steps")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--cell-seconds", settings.cell_seconds,
                 "time of a step for each cell, on simulated machines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("!--no-check", settings.is_checked, "do not compare with a serial computation");
  app.add_option("--json", settings.json, "write the figures to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  return -1;
}

}  // namespace stencil
