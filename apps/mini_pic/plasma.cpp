// SPDX-License-Identifier: Apache-2.0
#include "plasma.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace mini_pic {

namespace {

using Complex = std::complex<double>;

void require(bool is_right, const char* words) {
  if (!is_right) throw std::invalid_argument(words);
}

}  // namespace

double Plasma::wave_number() const {
  return 2 * std::numbers::pi / static_cast<double>(box.cubes[0]);
}

Complex Plasma::rate() const {
  // With w = omega^2: (w - ratio^2)^2 = w + ratio^2.
  const double squared = ratio * ratio + 0.5 - 0.5 * std::sqrt(8 * ratio * ratio + 1);
  return squared < 0 ? Complex(std::sqrt(-squared), 0) : Complex(0, -std::sqrt(squared));
}

double Plasma::first_field_energy() const {
  const double field = amplitude * std::norm(rate() + Complex(0, ratio)) / wave_number();
  return static_cast<double>(box.cube_count()) * field * field / 4;
}

std::int64_t Plasma::dense_layers() const {
  return is_uneven ? std::max<std::int64_t>(1, box.cubes[1] / 4) : 0;
}

std::int64_t Plasma::particles_in(bool is_dense) const {
  return 2 * per_edge * per_edge * per_edge * (is_dense ? 4 : 1);
}

std::int64_t Plasma::first_id(const Vector& cube) const {
  const std::int64_t dense = std::min(cube[1], dense_layers());
  const std::int64_t layer = box.cubes[0] * box.cubes[2];
  return layer * (dense * particles_in(true) + (cube[1] - dense) * particles_in(false)) +
         (cube[0] * box.cubes[2] + cube[2]) * particles_in(cube[1] < dense_layers());
}

std::int64_t Plasma::particles() const { return first_id({0, box.cubes[1], 0}); }

std::int64_t Plasma::total_weight() const {
  return box.cube_count() * particles_in(false) * (is_uneven ? 4 : 1);
}

std::vector<Particle> Plasma::start(const Vector& cube) const {
  const bool is_dense = cube[1] < dense_layers();
  const Vector rows{per_edge, is_dense ? 2 * per_edge : per_edge,
                    is_dense ? 2 * per_edge : per_edge};
  const Complex growth = rate();
  const double field = amplitude * std::norm(growth + Complex(0, ratio)) / wave_number();
  const double back = -time_step / 2;  // when velocities are known, after the positions
  std::vector<Particle> all;
  Particle particle;
  particle.id = first_id(cube);
  particle.weight = is_uneven && !is_dense ? 4 : 1;
  for (std::int64_t n = 0; n < rows[0] * rows[1] * rows[2]; ++n) {
    const Vector row{n / (rows[1] * rows[2]), n / rows[2] % rows[1], n % rows[2]};
    Vector at{};
    for (std::size_t d = 0; d < 3; ++d)
      at[d] = cube[d] * units_per_cube + (2 * row[d] + 1) * units_per_cube / (2 * rows[d]);
    const double x = static_cast<double>(at[0]) / static_cast<double>(units_per_cube);
    for (const int beam : {1, -1}) {
      // In a wave, an electron of the beam is moved by u with (s + i k V)^2 u = -E.
      const Complex along = growth + Complex(0, beam * ratio);
      const Complex here = -field * std::polar(1.0, wave_number() * x);
      particle.at = at;
      particle.at[0] +=
          std::llround((here / (along * along)).real() * static_cast<double>(units_per_cube));
      particle.speed = {beam * beam_speed() + (here * std::exp(along * back) / along).real(), 0, 0};
      all.push_back(particle);
      ++particle.id;
    }
  }
  return all;
}

void Plasma::check() const {
  for (std::size_t d = 0; d < 3; ++d) {
    require(box.cubes[d] >= 3 && box.cubes[d] <= 10'000,
            "there must be 3 to 10000 cubes in each direction");
    require(box.parts[d] >= 1 && box.parts[d] <= box.cubes[d],
            "there must be 1 part to one for each cube, in each direction");
  }
  require(box.jitter >= 0 && box.jitter <= 0.16, "nodes may be moved by 0 to 0.16 cubes");
  require(per_edge >= 1 && per_edge <= 100, "there must be 1 to 100 particles along an edge");
  require(static_cast<double>(box.cube_count()) * static_cast<double>(particles_in(true)) <= 4e9,
          "these are more than 4e9 particles");
  require(ratio > 0 && ratio <= 100, "k V / omega_p must be positive, and 100 at most");
  require(amplitude > 0 && amplitude <= 0.1, "the amplitude must be positive, and 0.1 at most");
  require(time_step > 0 && time_step <= 1,
          "the time step must be positive, and 1 / omega_p at most");
  require(beam_speed() * time_step <= longest_move / 2,
          "the beams move by more than two cubes in a step: use a shorter one");
  require(tolerance >= 1e-12 && tolerance <= 0.1, "the tolerance must be 1e-12 to 0.1");
}

}  // namespace mini_pic
