// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <vector>

#include "support/command_line.hpp"

namespace stencil3d {

namespace {

using Numbers = std::vector<std::int64_t>;

/// Reads one number for all directions, or three.
Triple triple_of(const Numbers& numbers, const char* option) {
  if (numbers.size() == 1) return {numbers[0], numbers[0], numbers[0]};
  if (numbers.size() != 3) {
    throw CLI::ValidationError(std::string(option) + ": one number or three, not " +
                               std::to_string(numbers.size()));
  }
  return {numbers[0], numbers[1], numbers[2]};
}

void check_together(const Settings& settings) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (settings.blocks[d] <= settings.cells[d]) continue;
    throw CLI::ValidationError("--blocks: " + std::to_string(settings.blocks[d]) + " blocks of " +
                               std::to_string(settings.cells[d]) + " cells leave some without any");
  }
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Heat in a periodic cube, by Jacobi steps of seven points: a grid of blocks that need the "
      "faces of their six neighbours in every step. The benchmark Stencil3D.\n"
      "Roam's own options are listed by --roam-help.");
  Numbers cells{64};
  Numbers blocks{4};
  Numbers waves{1};
  const auto numbers = [&app](const char* name, Numbers& values, const char* help, int least,
                              int most) {
    app.add_option(name, values, help)
        ->expected(1, 3)
        ->check(CLI::Range(least, most))
        ->capture_default_str();
  };
  numbers("--cells", cells, "of the grid: one number for all directions, or three", 1, 100'000);
  numbers("--blocks", blocks, "of the grid: one number or three", 1, 10'000);
  numbers("--waves", waves, "of the Fourier mode that decays: one number or three", 0, 100'000);
  app.add_option("--steps", settings.steps, "Jacobi steps")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--phase-steps", settings.phase_steps,
                 "steps of a phase, at whose end strategies place the blocks anew")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--repeat", settings.repeat, "how often each sweep is computed")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--uneven", settings.is_uneven,
               "block i of n, of the middle 60 %, computes its sweep of step s 100 i / n + 5 (s / "
               "30 + 1) times");
  app.add_option("--cell-seconds", settings.cell_seconds,
                 "time of a sweep for each cell, on simulated machines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--start", settings.start,
                 "where the blocks are at the beginning: in the order of ranks (tree), or as "
                 "apps/support/README.md says")
      ->transform(CLI::CheckedTransformer(support::starts()))
      ->default_str("tree");
  app.add_flag("!--no-check", settings.is_checked, "do not compare with a serial computation");
  app.add_option("--json", settings.json, "write the figures to this file");
  return support::parse(app, argc, argv, [&] {
    settings.cells = triple_of(cells, "--cells");
    settings.blocks = triple_of(blocks, "--blocks");
    settings.waves = triple_of(waves, "--waves");
    check_together(settings);
  });
}

}  // namespace stencil3d
