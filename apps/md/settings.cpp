// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "support/command_line.hpp"

namespace md {

namespace {

/// The numbers given by options, before they are combined.
struct Numbers {
  std::vector<std::int64_t> cells{4};
  std::vector<std::int64_t> units{12};
  double filled = 1;
};

std::array<std::int64_t, 3> three(const char* option, const std::vector<std::int64_t>& numbers) {
  if (numbers.size() == 1) return {numbers[0], numbers[0], numbers[0]};
  if (numbers.size() == 3) return {numbers[0], numbers[1], numbers[2]};
  throw CLI::ValidationError(std::string(option) + ": one number or three, not " +
                             std::to_string(numbers.size()));
}

void put_together(const Numbers& numbers, Settings& settings) {
  ListModel& model = settings.model;
  model.start.units = three("--units", numbers.units);
  model.grid.extent = three("--cells", numbers.cells);
  const auto along_x = static_cast<double>(model.start.units[0]);
  model.start.filled = std::llround(numbers.filled * along_x);
  if (model.start.filled == 0) {
    throw CLI::ValidationError("--filled: " + std::to_string(numbers.filled) +
                               " of the box is less than half a unit cell");
  }
  const Vec3 box = model.start.box();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto cells = static_cast<double>(model.grid.extent[axis]);
    model.grid.edges[axis] = coordinate(box, axis) / cells;
    if (model.grid.edges[axis] > model.reach()) continue;
    throw CLI::ValidationError("--cells: cells of " + std::to_string(model.grid.edges[axis]) +
                               " are smaller than cut-off and skin, " +
                               std::to_string(model.reach()) + "; fewer cells or more units help");
  }
}

void add_physics(CLI::App& app, ListModel& model, Numbers& numbers) {
  app.add_option("--units", numbers.units,
                 "unit cells of four atoms in the box, one number for all directions, or three")
      ->expected(1, 3)
      ->check(CLI::Range(2, 10'000))
      ->capture_default_str();
  app.add_option("--filled", numbers.filled,
                 "the part of the box, along x, that has atoms at the beginning; the rest is empty")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--density", model.start.density, "atoms in a unit of volume")
      ->check(CLI::Range(1e-6, 1.2))
      ->capture_default_str();
  app.add_option("--temperature", model.temperature, "of the atoms at the beginning")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_option("--cutoff", model.cutoff, "of forces, in units of the atoms' size")
      ->check(CLI::Range(0.5, 100.0))
      ->capture_default_str();
  app.add_option("--skin", model.skin,
                 "how much farther the lists of neighbours reach; they are built anew when an atom "
                 "has moved by half of it")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  app.add_option("--time-step", model.step, "in reduced units")
      ->check(CLI::Range(1e-9, 0.1))
      ->capture_default_str();
  app.add_option("--seed", model.start.seed, "of the velocities")->capture_default_str();
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Molecular dynamics: a Lennard-Jones fluid in cells, with lists of neighbours.\n"
      "md is a flow program, and Roam's own options are listed by --roam-help; md_mpi uses MPI "
      "alone.");
  Numbers numbers;
  app.add_option("--cells", numbers.cells, "one number for all directions, or three")
      ->expected(1, 3)
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  add_physics(app, settings.model, numbers);
  app.add_option("--steps", settings.steps, "of velocity Verlet")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--phase-steps", settings.phase_steps,
                 "steps of a phase, at whose end strategies move cells between ranks; md_mpi has "
                 "no phases")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--pair-seconds", settings.pair_seconds,
                 "time of a step for each pair in a list, on simulated machines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("!--no-check", settings.is_checked,
               "do not compare with a serial computation and with the forces of all pairs");
  return support::parse(app, argc, argv, [&] { put_together(numbers, settings); });
}

}  // namespace md
