// SPDX-License-Identifier: Apache-2.0
#include "patch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace prk_pic {

namespace {

constexpr double tolerance = 1e-6;  // cells, for positions at the end

/// The periodic image of a coordinate that is at most one length outside.
double wrapped(double x, double length) {
  if (x < 0) return x + length;
  return x >= length ? x - length : x;
}

std::uint64_t mixed(double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  bits = (bits ^ (bits >> 31)) * 0x7fb5d329728ea185ULL;
  return bits ^ (bits >> 27);
}

/// The distance of two coordinates on a periodic axis.
double apart(double a, double b, double length) {
  const double distance = std::abs(a - b);
  return std::min(distance, length - distance);
}

}  // namespace

bool Found::is_right(const Problem& problem) const {
  const std::int64_t n = problem.particles;
  const std::int64_t expected = n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
  return particles == n && misplaced == 0 && ids == expected;
}

Patch::Patch(const Problem& problem, const Population& population, std::array<std::int64_t, 2> at)
    : problem_(problem), at_(at) {
  for (int d = 0; d < 2; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    begin_[axis] = problem.begin_of(d, at[axis]);
    end_[axis] = problem.begin_of(d, at[axis] + 1);
  }
  for (std::int64_t x = begin_[0]; x <= end_[0]; ++x)
    charges_.insert(charges_.end(), static_cast<std::size_t>(end_[1] - begin_[1] + 1),
                    mesh_charge(x));
  for (std::int64_t x = begin_[0]; x < end_[0]; ++x) {
    const std::int64_t last = population.first_of(x, end_[1]);
    for (std::int64_t id = population.first_of(x, begin_[1]); id < last; ++id)
      particles_.push_back(population.start(id));
  }
  plant(population);
}

// Gives the middle one of all particles the fault that was asked for, if it is here.
void Patch::plant(const Population& population) {
  if (problem_.plant == Plant::none) return;
  const std::int64_t id = (problem_.particles + 1) / 2;
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    if (particles_[i].id != id) continue;
    if (problem_.plant == Plant::displaced) particles_[i].y += 10 * tolerance;
    if (problem_.plant == Plant::doubled) particles_.push_back(population.start(id));
    if (problem_.plant == Plant::lost) {
      particles_[i] = particles_.back();
      particles_.pop_back();
    }
    return;
  }
}

// Adds up what the four mesh points around the particle exert, by Coulomb's law.
void Patch::move_one(Particle& particle) const {
  const auto column = static_cast<std::int64_t>(particle.x);
  const auto row = static_cast<std::int64_t>(particle.y);
  const double x = particle.x - static_cast<double>(column);
  const double y = particle.y - static_cast<double>(row);
  const auto height = static_cast<std::size_t>(end_[1] - begin_[1] + 1);
  const double* const left = &charges_[static_cast<std::size_t>(column - begin_[0]) * height +
                                       static_cast<std::size_t>(row - begin_[1])];
  const double* const right = left + height;
  double ax = 0;
  double ay = 0;
  const auto add = [&](double along, double up, double mesh) {
    const double squared = along * along + up * up;
    const double force = particle.charge * mesh / (squared * std::sqrt(squared));
    ax += force * along;
    ay += force * up;
  };
  add(x, y, left[0]);
  add(x - 1, y, right[0]);
  add(x, y - 1, left[1]);
  add(x - 1, y - 1, right[1]);
  const auto length = static_cast<double>(problem_.grid);
  particle.x = wrapped(particle.x + particle.vx + ax / 2, length);
  particle.y = wrapped(particle.y + particle.vy + ay / 2, length);
  particle.vx += ax;
  particle.vy += ay;
}

bool Patch::contains(const Particle& particle) const {
  return particle.x >= static_cast<double>(begin_[0]) &&
         particle.x < static_cast<double>(end_[0]) &&
         particle.y >= static_cast<double>(begin_[1]) && particle.y < static_cast<double>(end_[1]);
}

void Patch::put(const Particle& particle, int out, Migrants& others) {
  const std::array<double, 2> place{particle.x, particle.y};
  for (int d = 0; d < 2; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    const std::int64_t there = problem_.patch_of(d, static_cast<std::int64_t>(place[axis]));
    if (there == at_[axis]) continue;
    if (out == nowhere || d < out)
      throw std::runtime_error("particle " + std::to_string(particle.id) +
                               " has moved further than any can move in one step");
    if (d > out) {
      waiting_.push_back(particle);
      return;
    }
    const std::int64_t count = problem_.patches[axis];
    const std::int64_t upwards = (there - at_[axis] + count) % count;
    (upwards <= count / 2 ? others.high : others.low).push_back(particle);
    return;
  }
  particles_.push_back(particle);
}

void Patch::send_waiting(int out, Migrants& others) {
  if (waiting_.empty() || out == 0) return;
  const std::vector<Particle> waiting = std::move(waiting_);
  waiting_.clear();
  for (const Particle& particle : waiting) put(particle, out, others);
}

Migrants Patch::move(int out) {
  Migrants others;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    Particle& particle = particles_[i];
    move_one(particle);
    if (contains(particle)) {
      particles_[kept++] = particle;
    } else {
      put(particle, out, others);
    }
  }
  particles_.resize(kept);
  return others;
}

void Patch::take(const Particles& particles, int out, Migrants& others) {
  for (const Particle& particle : particles) put(particle, out, others);
  send_waiting(out, others);
}

Found Patch::check(const Population& population, std::int64_t steps) const {
  const auto length = static_cast<double>(problem_.grid);
  Found found;
  for (const Particle& particle : particles_) {
    // Number by number, however wrong it is.
    const bool exists = particle.id >= 1 && particle.id <= problem_.particles;
    bool is_right = exists && contains(particle);
    if (is_right) {
      const auto [x, y] = population.place(particle.id, steps);
      is_right =
          apart(particle.x, x, length) <= tolerance && apart(particle.y, y, length) <= tolerance;
    }
    found = found + Found{1, particle.id, is_right ? 0 : 1,
                          mixed(particle.x) + 3 * mixed(particle.y) + 5 * mixed(particle.vx) +
                              7 * mixed(particle.vy) +
                              11 * static_cast<std::uint64_t>(particle.id) * mixed(particle.x)};
  }
  return found;
}

}  // namespace prk_pic
