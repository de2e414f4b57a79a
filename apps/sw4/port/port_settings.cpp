// SPDX-License-Identifier: Apache-2.0
#include "port/port_settings.hpp"

#include <cstdio>
#include <vector>

#include "settings/settings_error.hpp"
#include "support/command_line.hpp"

namespace sw4 {

int read_port_settings(int argc, char** argv, PortSettings& settings) {
  CommonOptions common;
  std::vector<std::int32_t> blocks;
  CLI::App app(
      "Seismic waves by finite differences of order 4 (summation by parts) on blocks that are "
      "mobile "
      "objects.\nRoam's own options are listed by --roam-help.");
  app.add_option("file", common.file, "parameter file (TOML)")->required();
  app.add_option("--folder", common.folder, "write there, not where the file says");
  app.add_option("--spacing", common.spacing, "of the grid, m, instead of the file's")
      ->check(CLI::PositiveNumber);
  app.add_option("--blocks", blocks,
                 "along x and y (default: one for each worker, four with a balancer)")
      ->expected(2)
      ->check(CLI::Range(1, 10'000));
  app.add_option("--phase-steps", settings.phase_steps,
                 "steps of a phase, at whose end blocks are placed anew if --roam-balancer is not "
                 "none")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--point-seconds", settings.point_seconds,
                 "time of predictor or corrector for a point, on simulated machines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--check", settings.is_checked,
               "compare all seismograms with a run without blocks, bit by bit");
  app.add_option("--json", settings.json, "write the figures to this file");
  const int status = support::parse(app, argc, argv);
  if (status >= 0) return status;
  try {
    settings.wave = settings_of(common);
    if (!blocks.empty()) settings.blocks = {blocks[0], blocks[1]};
    if (!blocks.empty()) check_blocks(settings.wave, settings.blocks);
    return -1;
  } catch (const seismic::SettingsError& error) {
    std::fprintf(stderr, "sw4: %s\n", error.what());
    return 2;
  }
}

}  // namespace sw4
