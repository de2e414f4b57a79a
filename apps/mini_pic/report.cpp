// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace mini_pic {

namespace {

constexpr double growth_tolerance = 0.05;
constexpr double energy_tolerance = 0.01;
constexpr double momentum_tolerance = 1e-3;
constexpr double linear_part = 0.01;  // of the kinetic energy: below, the wave is linear
constexpr double settled_factor = 4;  // times the first field energy: above, the wave prevails
constexpr double most_unstable = 10;  // times the first field energy: more has grown

void fail_unless(bool is_right, const std::string& words) {
  if (!is_right) throw std::runtime_error(words);
}

/// The steps before the field has so much energy.
std::size_t steps_below(const std::vector<Energies>& steps, double energy) {
  std::size_t count = 0;
  while (count < steps.size() && steps[count].field < energy) ++count;
  return count;
}

/// The largest difference of the total energy from that at the beginning, of these steps.
double energy_error(const std::vector<Energies>& steps, std::size_t count) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(
        largest, std::abs(steps[i].field + steps[i].kinetic - steps[0].field - steps[0].kinetic));
  return largest / steps[0].kinetic;
}

/// The momentum of one beam at the beginning.
double beam_momentum(const Plasma& plasma) {
  return 0.5 * static_cast<double>(plasma.box.cube_count()) * plasma.beam_speed();
}

double largest(const std::vector<Energies>& steps, double Energies::*what) {
  double most = 0;
  for (const Energies& step : steps) most = std::max(most, step.*what);
  return most;
}

void check_particles(const Plasma& plasma, const Outcome& outcome) {
  const auto count = static_cast<unsigned __int128>(plasma.particles());
  const auto ids = static_cast<std::uint64_t>(count * (count - 1) / 2);
  const auto squares = static_cast<std::uint64_t>(count * (count - 1) / 2 * (2 * count - 1) / 3);
  fail_unless(outcome.found.particles == plasma.particles() && outcome.found.ids == ids &&
                  outcome.found.squares == squares,
              "particles are lost or there twice");
  fail_unless(outcome.found.misplaced == 0,
              std::to_string(outcome.found.misplaced) + " particles are not in their tetrahedra");
  fail_unless(outcome.charge_is_exact, "the particles' deposits do not add up to their charge");
}

}  // namespace

Energies::Energies(const Plasma& plasma, const Sums& sums) : field(sums.field.value()) {
  const double unit = plasma.unit_charge() / energy_unit;
  kinetic = unit * static_cast<double>(sums.kinetic);
  momentum = unit * std::hypot(static_cast<double>(sums.momentum[0]),
                               static_cast<double>(sums.momentum[1]),
                               static_cast<double>(sums.momentum[2]));
}

std::optional<Growth> growth_of(const Plasma& plasma, const std::vector<Energies>& steps) {
  if (steps.empty()) return std::nullopt;
  const std::size_t begin = steps_below(steps, settled_factor * plasma.first_field_energy());
  const std::size_t end = steps_below(steps, linear_part * steps[0].kinetic);
  if (end == steps.size() || end < begin + 5) return std::nullopt;
  const auto count = static_cast<double>(end - begin);
  const double middle = static_cast<double>(begin) + (count - 1) / 2;
  double above = 0;
  double below = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double time = (static_cast<double>(i) - middle) * plasma.time_step;
    above += time * std::log(steps[i].field);
    below += time * time;
  }
  return Growth{0.5 * above / below, static_cast<double>(begin) * plasma.time_step,
                static_cast<double>(end - 1) * plasma.time_step};
}

void check(const Settings& settings, const Outcome& outcome) {
  const Plasma& plasma = settings.plasma;
  check_particles(plasma, outcome);
  if (!settings.is_checked) return;
  const double momentum = largest(outcome.steps, &Energies::momentum) / beam_momentum(plasma);
  fail_unless(momentum <= momentum_tolerance,
              "the momentum has become " + std::to_string(momentum) + " of that of one beam");
  const std::size_t linear = steps_below(outcome.steps, linear_part * outcome.steps[0].kinetic);
  const double error = energy_error(outcome.steps, linear);
  fail_unless(error <= energy_tolerance, "the total energy has changed by " +
                                             std::to_string(error) +
                                             " of the kinetic energy at the beginning");
  const double expected = plasma.rate().real();
  if (expected == 0) {
    const double grown = largest(outcome.steps, &Energies::field) / plasma.first_field_energy();
    fail_unless(grown <= most_unstable, "the field energy has grown by " + std::to_string(grown) +
                                            ", but no wave can grow");
    return;
  }
  const std::optional<Growth> growth = growth_of(plasma, outcome.steps);
  fail_unless(growth.has_value(),
              "these are too few steps to see a wave grow: use more, or --no-check");
  fail_unless(std::abs(growth->rate - expected) <= growth_tolerance * expected,
              "the field grows with the rate " + std::to_string(growth->rate) + ", not " +
                  std::to_string(expected));
}

void print(const Settings& settings, const Outcome& outcome) {
  const Plasma& plasma = settings.plasma;
  const Box& box = plasma.box;
  std::printf("tetrahedra           %" PRId64 " in %d parts, %d ranks\n", 6 * box.cube_count(),
              box.part_count(), outcome.ranks);
  std::printf("particles            %" PRId64 ", %" PRId64 " steps\n", plasma.particles(),
              settings.steps);
  std::printf("went to other parts  %" PRId64 ", in %d rounds at most\n", outcome.walkers,
              outcome.most_rounds);
  std::printf(
      "solver               %.1f iterations per step\n",
      static_cast<double>(outcome.found.iterations) / static_cast<double>(settings.steps + 1));
  std::printf("fingerprint          %016" PRIx64 "\n", outcome.found.bits);
  std::printf("expected rate        %.6f\n", plasma.rate().real());
  if (const auto growth = growth_of(plasma, outcome.steps))
    std::printf("growth rate          %.6f, times %.1f to %.1f\n", growth->rate, growth->from,
                growth->to);
  std::printf("field energy         %.4e, %.4e at most; the wave's at first %.4e\n",
              outcome.steps[0].field, largest(outcome.steps, &Energies::field),
              plasma.first_field_energy());
  const std::size_t linear = steps_below(outcome.steps, linear_part * outcome.steps[0].kinetic);
  std::printf("energy error         %.3e of the kinetic energy, %.3e while the wave is linear\n",
              energy_error(outcome.steps, outcome.steps.size()),
              energy_error(outcome.steps, linear));
  std::printf("momentum, largest    %.3e of that of one beam\n",
              largest(outcome.steps, &Energies::momentum) / beam_momentum(plasma));
  std::printf("time                 %.6f s\n", outcome.seconds);
}

}  // namespace mini_pic
