// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/command_line.hpp"

namespace simple_pic {

namespace {

Vector each(const std::vector<std::int64_t>& given, const char* option) {
  if (given.size() != 1 && given.size() != 3)
    throw CLI::ValidationError(std::string(option) + " needs one number or three");
  return given.size() == 1 ? Vector{given[0], given[0], given[0]}
                           : Vector{given[0], given[1], given[2]};
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Particles that stream through a periodic box.\nRoam's own options are listed by "
      "--roam-help.");
  std::vector<std::int64_t> patches{5};
  std::vector<std::int64_t> cells{8};
  app.add_option("--patches", patches,
                 "patches, each way, or in each direction: 4,2,2 (plain MPI: one per process)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--cells", cells, "cells of a patch, each way, or in each direction")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--per-cell", settings.box.per_cell, "particles of a cell, on average")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--imbalanced", settings.box.is_imbalanced,
               "four fifths of the particles begin in the first fifth of the box");
  app.add_option("--steps", settings.steps, "steps")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--phase-steps", settings.phase_steps, "steps after which a phase ends")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--reverse", settings.is_reversed,
               "go back to the beginning from half of the steps");
  return support::parse(app, argc, argv, [&] {
    settings.box.patches = each(patches, "--patches");
    settings.box.cells = each(cells, "--cells");
    for (std::size_t d = 0; d < 3; ++d) settings.box.cells[d] *= settings.box.patches[d];
    const Vector& all = settings.box.cells;
    if (*std::max_element(all.begin(), all.end()) > most_cells)
      throw CLI::ValidationError("--patches and --cells make more than " +
                                 std::to_string(most_cells) + " cells in a direction");
    if (static_cast<double>(all[0] * all[1]) * static_cast<double>(all[2]) > 1e11)
      throw CLI::ValidationError("--patches and --cells make more than 1e11 cells");
  });
}

void report(const Settings& settings, const Streamed& streamed) {
  const std::uint64_t particles = settings.box.particles();
  if (streamed.found.misplaced > 0 || streamed.found.particles != particles ||
      streamed.found.ids != particles * (particles - 1) / 2)
    throw std::runtime_error("particles are not where their numbers say");
  std::printf("particles            %llu, all where they must be after %d steps\n",
              static_cast<unsigned long long>(particles), settings.steps);
  std::printf("migrants             %lld\nrounds, most         %d\n",
              static_cast<long long>(streamed.migrants), streamed.most_rounds);
  std::printf("time                 %.6f s\n", streamed.seconds);
}

}  // namespace simple_pic
