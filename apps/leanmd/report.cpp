// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "molecular_dynamics/serial_run.hpp"

namespace leanmd {

double Outcome::largest_energy_error() const {
  double largest = 0;
  for (const md::Energy& energy : energies) {
    largest = std::max(largest, std::abs(energy.sum() - energies.front().sum()));
  }
  return largest / static_cast<double>(atoms);
}

Outcome outcome_of(CellResults results) {
  std::ranges::sort(results, {}, &CellResult::number);
  Outcome outcome;
  outcome.energies.resize(results.front().energies.size());
  for (const CellResult& cell : results) {
    outcome.atoms += cell.atoms;
    outcome.come_atoms += cell.come_atoms;
    outcome.fingerprint += cell.fingerprint;
    outcome.momentum += cell.momentum;
    for (std::size_t step = 0; step < outcome.energies.size(); ++step) {
      outcome.energies[step].potential += cell.energies[step].potential;
      outcome.energies[step].kinetic += cell.energies[step].kinetic;
    }
  }
  return outcome;
}

void check(const Settings& settings, const Outcome& outcome) {
  const double momentum = std::sqrt(dot(outcome.momentum, outcome.momentum));
  const double allowed = 1e-12 * static_cast<double>(outcome.atoms);
  if (!(momentum <= allowed)) {
    throw roam::Error("the momentum of the atoms, 0 at the beginning, has become " +
                      std::to_string(momentum));
  }
  if (!settings.is_checked) return;
  md::SerialRun serial(settings.model);
  serial.run(settings.steps);
  if (serial.fingerprint_of_all() != outcome.fingerprint || serial.energies() != outcome.energies) {
    throw roam::Error("the atoms are not as computed serially");
  }
}

void report(const Settings& settings, const support::RunFigures& figures, const Outcome& outcome) {
  const md::Cells& cells = settings.model.cells;
  const auto [nx, ny, nz] = cells.extent();
  const md::Energy& first = outcome.energies.front();
  const md::Energy& last = outcome.energies.back();
  figures.print_job();
  std::printf("cells                  %14" PRId64 "   %" PRId64 " x %" PRId64 " x %" PRId64
              ", with %" PRId64 " computations each\n",
              cells.count(), nx, ny, nz, cells.computations());
  std::printf("atoms                  %14" PRId64 "   %" PRId64 " in another cell than at first\n",
              outcome.atoms, outcome.come_atoms);
  std::printf("steps                  %14" PRId64 "\n", settings.steps);
  figures.print_times();
  std::printf("inside handlers        %14.6f s per worker\n", figures.run.mean_busy_seconds);
  std::printf("messages               %14" PRIu64 "\n", figures.run.messages_sent);
  std::printf("energy at first        %14.9f   of an atom: potential %.9f, kinetic %.9f\n",
              first.sum() / static_cast<double>(outcome.atoms),
              first.potential / static_cast<double>(outcome.atoms),
              first.kinetic / static_cast<double>(outcome.atoms));
  std::printf("energy at last         %14.9f   potential %.9f, kinetic %.9f\n",
              last.sum() / static_cast<double>(outcome.atoms),
              last.potential / static_cast<double>(outcome.atoms),
              last.kinetic / static_cast<double>(outcome.atoms));
  std::printf("largest energy error   %14.3g   of an atom\n", outcome.largest_energy_error());
  std::printf("momentum               %14.3g   of all atoms\n",
              std::sqrt(dot(outcome.momentum, outcome.momentum)));
  std::printf("fingerprint %016" PRIx64 "%s\n", outcome.fingerprint,
              settings.is_checked ? ", as computed serially" : "");
  if (settings.json.empty()) return;
  support::write_json(
      figures.json("leanmd", {{"cells", cells.count()},
                              {"objects", cells.count() * (1 + cells.computations())},
                              {"atoms", outcome.atoms},
                              {"come_atoms", outcome.come_atoms},
                              {"steps", settings.steps},
                              {"busy_seconds", figures.run.mean_busy_seconds},
                              {"largest_energy_error", outcome.largest_energy_error()}}),
      settings.json);
}

}  // namespace leanmd
