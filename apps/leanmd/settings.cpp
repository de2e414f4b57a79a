// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "support/command_line.hpp"

namespace leanmd {

namespace {

/// The numbers given by options, before they are combined.
struct Numbers {
  std::vector<std::int64_t> cells{4};
  std::int64_t away = 1;
  double packing = 0.7;
};

md::CellIndex extent_of(const std::vector<std::int64_t>& cells) {
  if (cells.size() == 1) return {cells[0], cells[0], cells[0]};
  if (cells.size() == 3) return {cells[0], cells[1], cells[2]};
  throw CLI::ValidationError("--cells: one number or three, not " + std::to_string(cells.size()));
}

void put_together(const Numbers& numbers, Settings& settings) {
  md::Filling& filling = settings.model.filling;
  if (filling.density == md::Density::uniform) filling.most = filling.least;
  if (filling.most < filling.least) {
    throw CLI::ValidationError("--most-atoms: " + std::to_string(filling.most) +
                               " are fewer than the " + std::to_string(filling.least) +
                               " of --atoms");
  }
  const double edge = std::cbrt(static_cast<double>(filling.most) / numbers.packing);
  settings.model.cells = md::Cells(extent_of(numbers.cells), edge, numbers.away);
  if (settings.model.cells.space_around(settings.model.cutoff) > 0) return;
  throw CLI::ValidationError("--cutoff: " + std::to_string(settings.model.cutoff) +
                             " is farther than " + std::to_string(numbers.away) + " cells of " +
                             std::to_string(edge) +
                             " reach; more atoms make cells larger, and --away takes more of them");
}

void add_physics(CLI::App& app, Settings& settings, Numbers& numbers) {
  const std::map<std::string, md::Density> densities{{"uniform", md::Density::uniform},
                                                     {"gradient", md::Density::gradient},
                                                     {"clump", md::Density::clump}};
  md::Model& model = settings.model;
  app.add_option("--cells", numbers.cells, "one number for all directions, or three")
      ->expected(1, 3)
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  app.add_option("--away", numbers.away,
                 "a cell interacts with those up to so many cells away, in each direction")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  app.add_option("--atoms", model.filling.least, "of a cell, where there are the fewest")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  model.filling.most = 250;
  app.add_option("--most-atoms", model.filling.most,
                 "of a cell, where there are the most, unless --density is uniform")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--density", model.filling.density,
                 "uniform, gradient (more along x) or clump (more in the middle)")
      ->transform(CLI::CheckedTransformer(densities))
      ->default_str("uniform");
  app.add_option("--packing", numbers.packing,
                 "atoms in a unit of volume, where there are the most")
      ->check(CLI::Range(1e-6, 1.2))
      ->capture_default_str();
  app.add_option("--cutoff", model.cutoff, "of forces, in units of the atoms' size")
      ->check(CLI::Range(0.5, 100.0))
      ->capture_default_str();
  app.add_option("--temperature", model.filling.temperature, "of the atoms at the beginning")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_option("--time-step", model.step, "in reduced units")
      ->check(CLI::Range(1e-9, 0.1))
      ->capture_default_str();
  app.add_option("--migration-interval", model.migration_interval,
                 "steps after which atoms go to the cells that they are in")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", model.filling.seed, "of the velocities")->capture_default_str();
}

void add_run(CLI::App& app, Settings& settings) {
  const std::map<std::string, Computations> places{{"local", Computations::local},
                                                   {"round-robin", Computations::round_robin}};
  app.add_option("--steps", settings.steps, "of velocity Verlet")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--phase-steps", settings.phase_steps,
                 "steps of a phase, at whose end strategies place cells and computations anew")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--computes", settings.computations,
                 "where computations are at the beginning: beside their cell (local) or dealt to "
                 "the ranks in turn (round-robin)")
      ->transform(CLI::CheckedTransformer(places))
      ->default_str("local");
  app.add_option("--start", settings.start,
                 "where cells are at the beginning: in the order of ranks (tree), or as "
                 "apps/support/README.md says")
      ->transform(CLI::CheckedTransformer(support::starts()))
      ->default_str("tree");
  app.add_option("--pair-seconds", settings.pair_seconds,
                 "time of a computation for each pair of atoms, on simulated machines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--atom-seconds", settings.atom_seconds,
                 "time of a cell's step for each atom, on simulated machines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("!--no-check", settings.is_checked, "do not compare with a serial computation");
  app.add_option("--json", settings.json, "write the figures to this file");
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Molecular dynamics: Lennard-Jones atoms in cubic cells, which are mobile objects, as are "
      "the "
      "computations of forces between each two neighbours. The benchmark LeanMD.\n"
      "Roam's own options are listed by --roam-help.");
  Numbers numbers;
  add_physics(app, settings, numbers);
  add_run(app, settings);
  return support::parse(app, argc, argv, [&] { put_together(numbers, settings); });
}

}  // namespace leanmd
