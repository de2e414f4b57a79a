// SPDX-License-Identifier: Apache-2.0
#include "patch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace simple_pic {

namespace {

// Maps a number to another one by splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

double unit(std::uint64_t x) { return static_cast<double>(mixed(x) >> 11) * 0x1p-53; }

std::int64_t wrapped(std::int64_t x, std::int64_t length) {
  return ((x % length) + length) % length;
}

/// The side through which a particle has left the patch; -1: it is inside.
int side_of(const Particle& particle, const Box& box, roam::Index<3> at) {
  for (int d = 0; d < 3; ++d) {
    const std::int64_t there = particle.at[static_cast<std::size_t>(d)] / box.side();
    const std::int64_t away = wrapped(there - at[d], box.patches);
    if (away == 0) continue;
    if (away == 1) return 2 * d + 1;
    if (away == box.patches - 1) return 2 * d;
    throw roam::Error("a particle has passed a whole patch in one step");
  }
  return -1;
}

}  // namespace

std::int64_t Box::dense_patches() const {
  return is_imbalanced ? std::max<std::int64_t>(1, patches / 5) * patches * patches : 0;
}

std::uint64_t Box::mean() const {
  return static_cast<std::uint64_t>(per_cell * cells * cells * cells);
}

std::uint64_t Box::count(std::int64_t patch) const {
  if (!is_imbalanced) return mean();
  return patch < dense_patches() ? 4 * mean() : mean() / 4;
}

std::uint64_t Box::first_id(std::int64_t patch) const {
  const std::int64_t dense = std::min(patch, dense_patches());
  return static_cast<std::uint64_t>(dense) * 4 * mean() +
         static_cast<std::uint64_t>(patch - dense) * (is_imbalanced ? mean() / 4 : mean());
}

Particle Box::start(std::uint64_t id) const {
  const std::uint64_t dense = first_id(dense_patches());
  const std::int64_t patch =
      id < dense
          ? static_cast<std::int64_t>(id / (4 * mean()))
          : dense_patches() + static_cast<std::int64_t>((id - dense) / count(dense_patches()));
  const Vector corner{patch / (patches * patches), patch / patches % patches, patch % patches};
  Particle particle;
  particle.id = id;
  for (std::size_t d = 0; d < 3; ++d) {
    particle.at[d] =
        corner[d] * side() +
        static_cast<std::int64_t>(mixed(5 * id + d) % static_cast<std::uint64_t>(side()));
  }
  const double up = 2 * unit(5 * id + 3) - 1;
  const double around = 2 * std::numbers::pi * unit(5 * id + 4);
  const double flat = std::sqrt(1 - up * up);
  const double speed = courant * units_per_cell;
  particle.velocity = {std::lround(speed * flat * std::cos(around)),
                       std::lround(speed * flat * std::sin(around)), std::lround(speed * up)};
  return particle;
}

Vector Box::moved(const Particle& particle, std::int64_t steps) const {
  Vector at{};
  for (std::size_t d = 0; d < 3; ++d)
    at[d] = wrapped(particle.at[d] + steps * particle.velocity[d], length());
  return at;
}

std::int64_t Migrants::count() const {
  std::size_t sum = 0;
  for (const auto& particles : through) sum += particles.size();
  return static_cast<std::int64_t>(sum);
}

Patch::Patch(const Box& box, roam::Index<3> at) {
  const std::int64_t number = (at[0] * box.patches + at[1]) * box.patches + at[2];
  const std::uint64_t first = box.first_id(number);
  for (std::uint64_t k = 0; k < box.count(number); ++k) particles_.push_back(box.start(first + k));
}

Migrants Patch::move(const Box& box, roam::Index<3> at, int sign) {
  Migrants leave;
  std::size_t kept = 0;
  for (Particle& particle : particles_) {
    particle.at = box.moved(particle, sign);
    const int side = side_of(particle, box, at);
    if (side < 0) {
      particles_[kept++] = particle;
    } else {
      leave.through[static_cast<std::size_t>(side)].push_back(particle);
    }
  }
  particles_.resize(kept);
  return leave;
}

void Patch::take(const std::vector<Particle>& particles, const Box& box, roam::Index<3> at,
                 Migrants& others) {
  for (const Particle& particle : particles) {
    const int side = side_of(particle, box, at);
    (side < 0 ? particles_ : others.through[static_cast<std::size_t>(side)]).push_back(particle);
  }
}

Found Patch::check(const Box& box, roam::Index<3> at, std::int64_t steps) const {
  Found found;
  for (const Particle& particle : particles_) {
    const Particle start = box.start(particle.id);
    const bool is_right = particle.at == box.moved(start, steps) &&
                          particle.velocity == start.velocity && side_of(particle, box, at) < 0;
    found = found + Found{1, particle.id, is_right ? 0U : 1U};
  }
  return found;
}

}  // namespace simple_pic
