// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace md {

namespace {

double largest_energy_error(const std::vector<StepResult>& results) {
  double largest = 0;
  for (const StepResult& result : results) {
    largest = std::max(largest, std::abs(result.energy() - results.front().energy()));
  }
  return largest;
}

void compare_with_serial(const Settings& settings, const Outcome& outcome) {
  SerialExchange exchange(settings.model.grid);
  ListRun serial(settings.model, exchange, 0, settings.model.grid.count());
  const auto is_same = [&](std::size_t step) {
    const StepResult sum = exchange.sum(serial.results());
    return sum.potential == outcome.results[step].potential &&
           sum.kinetic == outcome.results[step].kinetic;
  };
  bool is_equal = is_same(0);
  for (std::int64_t step = 1; step <= settings.steps && is_equal; ++step) {
    serial.step();
    is_equal = is_same(static_cast<std::size_t>(step));
  }
  std::uint64_t fingerprint = 0;
  for (const ListCell& cell : serial.cells()) fingerprint += summary_of(cell).fingerprint;
  if (!is_equal || fingerprint != outcome.summary.fingerprint)
    throw std::runtime_error("the atoms are not as computed serially");
}

void print_energy(const char* when, const StepResult& result, double atoms) {
  const double temperature = 2 * result.kinetic / (3 * (atoms - 1));
  std::printf("energy %-15s %14.9f   of an atom: potential %.9f, kinetic %.9f; temperature %.6f\n",
              when, result.energy() / atoms, result.potential / atoms, result.kinetic / atoms,
              temperature);
}

}  // namespace

bool needs_snapshot(const Settings& settings) {
  const Vec3 box = settings.model.start.box();
  return settings.is_checked && std::min({box.x, box.y, box.z}) >= 2 * settings.model.cutoff;
}

void check(const Settings& settings, const Outcome& outcome) {
  const std::int64_t atoms = settings.model.start.atoms();
  if (outcome.summary.atoms != atoms) {
    throw std::runtime_error(std::to_string(outcome.summary.atoms) + " atoms are left of " +
                             std::to_string(atoms));
  }
  const Vec3& momentum = outcome.summary.momentum;
  if (!(std::sqrt(dot(momentum, momentum)) <= 1e-12 * static_cast<double>(atoms))) {
    throw std::runtime_error("the momentum of the atoms, 0 at the beginning, has become " +
                             std::to_string(std::sqrt(dot(momentum, momentum))));
  }
  if (needs_snapshot(settings)) {
    const double error = force_error(settings.model, outcome.snapshot);
    if (!(error <= 1e-12))
      throw std::runtime_error("the forces are not those of all pairs: the error is " +
                               std::to_string(error));
  }
  if (settings.is_checked) compare_with_serial(settings, outcome);
}

void report(const Settings& settings, const Outcome& outcome) {
  const auto [nx, ny, nz] = settings.model.grid.extent;
  const auto atoms = static_cast<double>(outcome.summary.atoms);
  const auto steps = static_cast<double>(settings.steps);
  std::printf("ranks                  %14d\n", outcome.ranks);
  std::printf("cells                  %14" PRId64 "   %" PRId64 " x %" PRId64 " x %" PRId64 "\n",
              settings.model.grid.count(), nx, ny, nz);
  std::printf("atoms                  %14" PRId64 "\n", outcome.summary.atoms);
  std::printf("steps                  %14" PRId64 "   lists built %" PRId64 " times\n",
              settings.steps, outcome.list_builds);
  std::printf("pairs in lists         %14" PRIu64 "\n", outcome.results.back().pairs);
  print_energy("at first", outcome.results.front(), atoms);
  print_energy("at last", outcome.results.back(), atoms);
  std::printf("largest energy error   %14.3g   of an atom\n",
              largest_energy_error(outcome.results) / atoms);
  const Vec3& momentum = outcome.summary.momentum;
  std::printf("momentum               %14.3g   of all atoms\n", std::sqrt(dot(momentum, momentum)));
  if (needs_snapshot(settings))
    std::printf("largest force error    %14.3g   against all pairs\n",
                force_error(settings.model, outcome.snapshot));
  std::printf("fingerprint %016" PRIx64 "%s\n", outcome.summary.fingerprint,
              settings.is_checked ? ", as computed serially" : "");
  std::printf("time                   %14.6f s\n", outcome.seconds);
  std::printf("rate                   %14.3f million atom steps/s\n",
              1e-6 * atoms * steps / outcome.seconds);
}

}  // namespace md
