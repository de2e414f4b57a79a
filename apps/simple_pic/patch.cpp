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

std::int32_t wrapped(std::int64_t x, std::int64_t length) {
  return static_cast<std::int32_t>(((x % length) + length) % length);
}

std::int32_t units_of(std::int64_t cells) {
  return static_cast<std::int32_t>(cells * units_per_cell);
}

std::int32_t rounded(double units) { return static_cast<std::int32_t>(std::lround(units)); }

}  // namespace

std::int64_t Box::dense_cells() const {
  return is_imbalanced ? std::max<std::int64_t>(1, cells[0] / 5) * cells[1] * cells[2] : 0;
}

// A cell of the dense part has 4 * per_cell, one of the rest a quarter of per_cell, rounded so that
// four in succession have per_cell.
std::uint64_t Box::first_id(std::int64_t cell) const {
  if (!is_imbalanced) return static_cast<std::uint64_t>(cell * per_cell);
  const std::int64_t dense = std::min(cell, dense_cells());
  return static_cast<std::uint64_t>(dense * 4 * per_cell + (cell - dense) * per_cell / 4);
}

std::uint64_t Box::particles() const { return first_id(cells[0] * cells[1] * cells[2]); }

Particle Box::start(std::uint64_t id) const {
  const auto number = static_cast<std::int64_t>(id);
  const std::int64_t of_dense = dense_cells() * 4 * per_cell;
  std::int64_t cell = 0;
  if (!is_imbalanced) {
    cell = number / per_cell;
  } else if (number < of_dense) {
    cell = number / (4 * per_cell);
  } else {
    // The only cell of which first_id() is not above the number, and that of the next one is.
    const std::int64_t quarters = 4 * (number - of_dense + 1);
    cell = dense_cells() + (quarters + per_cell - 1) / per_cell - 1;
  }
  const Vector corner{cell / (cells[1] * cells[2]), cell / cells[2] % cells[1], cell % cells[2]};
  Particle particle;
  particle.id = id;
  for (std::size_t d = 0; d < 3; ++d) {
    particle.at[d] =
        units_of(corner[d]) + static_cast<std::int32_t>(mixed(5 * id + d) % units_per_cell);
  }
  const double up = 2 * unit(5 * id + 3) - 1;
  const double around = 2 * std::numbers::pi * unit(5 * id + 4);
  const double flat = std::sqrt(1 - up * up);
  const double speed = courant * units_per_cell;
  particle.velocity = {rounded(speed * flat * std::cos(around)),
                       rounded(speed * flat * std::sin(around)), rounded(speed * up)};
  return particle;
}

Units Box::moved(const Particle& particle, std::int64_t steps) const {
  Units at{};
  for (std::size_t d = 0; d < 3; ++d)
    at[d] = wrapped(particle.at[d] + steps * particle.velocity[d], cells[d] * units_per_cell);
  return at;
}

std::int64_t Migrants::count() const {
  std::size_t sum = 0;
  for (const auto& particles : through) sum += particles.size();
  return static_cast<std::int64_t>(sum);
}

Patch::Patch(const Box& box, const Vector& at) {
  Vector first{};
  Vector last{};
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = box.begin_of(d, at[d]);
    last[d] = box.begin_of(d, at[d] + 1);
    begin_[d] = units_of(first[d]);
    end_[d] = units_of(last[d]);
    length_[d] = units_of(box.cells[d]);
  }
  for (std::int64_t i = first[0]; i < last[0]; ++i) {
    for (std::int64_t j = first[1]; j < last[1]; ++j) {
      const std::int64_t row = (i * box.cells[1] + j) * box.cells[2];
      const std::uint64_t end = box.first_id(row + last[2]);
      for (std::uint64_t id = box.first_id(row + first[2]); id < end; ++id)
        particles_.push_back(box.start(id));
    }
  }
}

/// The first side through which a particle has left the patch; -1: it is inside. Nothing is faster
/// than a cell per step, so it is in the patch beyond that side, or beyond a further side of it.
int Patch::side_of(const Particle& particle) const {
  for (std::size_t d = 0; d < 3; ++d) {
    if (particle.at[d] < begin_[d]) return static_cast<int>(2 * d);
    if (particle.at[d] >= end_[d]) return static_cast<int>(2 * d + 1);
  }
  return -1;
}

/// Passes a particle on through a side, at the end of the box to the other end.
void Patch::send(Particle particle, int side, Migrants& others) const {
  const auto d = static_cast<std::size_t>(side / 2);
  if (particle.at[d] < 0) particle.at[d] += length_[d];
  if (particle.at[d] >= length_[d]) particle.at[d] -= length_[d];
  others.through[static_cast<std::size_t>(side)].push_back(particle);
}

Migrants Patch::move(int sign) {
  Migrants leave;
  for (std::size_t side = 0; side < patch_sides; ++side)
    leave.through[side].reserve(last_left_[side] + last_left_[side] / 8);
  std::size_t kept = 0;
  for (Particle& particle : particles_) {
    for (std::size_t d = 0; d < 3; ++d) particle.at[d] += sign * particle.velocity[d];
    const int side = side_of(particle);
    if (side < 0) {
      particles_[kept++] = particle;
    } else {
      send(particle, side, leave);
    }
  }
  particles_.resize(kept);
  for (std::size_t side = 0; side < patch_sides; ++side)
    last_left_[side] = leave.through[side].size();
  return leave;
}

void Patch::take(const Particles& particles, Migrants& others) {
  for (const Particle& particle : particles) {
    const int side = side_of(particle);
    if (side < 0) {
      particles_.push_back(particle);
    } else {
      send(particle, side, others);
    }
  }
}

Found Patch::check(const Box& box, std::int64_t steps) const {
  Found found;
  for (const Particle& particle : particles_) {
    const Particle start = box.start(particle.id);
    const bool is_right = particle.at == box.moved(start, steps) &&
                          particle.velocity == start.velocity && side_of(particle) < 0;
    found = found + Found{1, particle.id, is_right ? 0U : 1U};
  }
  return found;
}

}  // namespace simple_pic
